/** One place where a converted schema says something else than the schema of the server. */
export interface SchemaDifference {
  /** The keyword of the server's schema that is not converted as it is, such as `pattern`. */
  readonly keyword: string;
  /** JSON Pointer (RFC 6901) to the schema that has the keyword; empty for the root. */
  readonly pointer: string;
  /** The reason, as a sentence fragment such as `Zod cannot express it`. */
  readonly reason: string;
}

/** The first 50 describe a schema with a thousand mistakes well enough. */
const MAX_LISTED = 50;

/** Collects the differences of one conversion. */
export class SchemaDifferences {
  readonly list: SchemaDifference[] = [];

  add(keyword: string, pointer: string, reason: string): void {
    if (this.list.length < MAX_LISTED) this.list.push({ keyword, pointer, reason });
  }
}
