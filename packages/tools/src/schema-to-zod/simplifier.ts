import type { Draft } from '../schema/dialect.js';
import type { SchemaDifferences } from '../schema/schema-differences.js';
import type { SimpleSchema, JsonType } from './simple-schema.js';
import type { Schema } from '../schema/subschemas.js';

/** What the parts of the simplification share. */
export interface Simplifying {
  readonly draft: Draft;
  readonly report: SchemaDifferences;
  /** @param types What the surroundings leave possible here. Default: every type. */
  simplify(schema: Schema, pointer: string, types?: ReadonlySet<JsonType>): SimpleSchema;
  /** Whether this pattern is to be checked; when not, the loss has been reported. */
  acceptsPattern(pattern: string, pointer: string): boolean;
  /** Remembers an object that allows no other members: see `closeObjects`. */
  closed(schema: SimpleSchema, pointer: string): void;
  /** Remembers a count that goes wrong when what is counted accepts more: see `giveUpFragileCounts`. */
  counts(pointers: readonly string[], giveUp: () => void): void;
  /** Remembers an object whose names are checked: see `closeObjects`. */
  named(schema: SimpleSchema, pointer: string): void;
}
