/** Something that a schema demands and its conversion does not check. The conversion always accepts more, never less. */
export interface SchemaDifference {
  readonly keyword: string;
  /** JSON Pointer to the schema that has the keyword. */
  readonly pointer: string;
  readonly reason: string;
}

/** A schema with a thousand faults is described well enough by its first ones. */
const MOST = 50;

/** What was lost so far, and where. */
export class SchemaDifferences {
  readonly list: SchemaDifference[] = [];
  readonly pointers = new Set<string>();

  add(keyword: string, pointer: string, reason: string): void {
    this.pointers.add(pointer);
    if (this.list.length < MOST) this.list.push({ keyword, pointer, reason });
  }
}
