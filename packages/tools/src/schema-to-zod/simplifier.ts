import type { Draft } from '../schema/dialect.js';
import type { SchemaDifferences } from '../schema/schema-differences.js';
import type { Schema } from '../schema/subschemas.js';
import type { JsonType } from '../json/json-types.js';
import type { SimpleSchema } from './simple-schema.js';

/** What the functions that simplify one type of value need of {@link simplifySchema}. */
export interface Simplifier {
  readonly draft: Draft;
  readonly differences: SchemaDifferences;
  /** @param types The types that the surrounding schema leaves possible. Default: every type. */
  simplify(schema: Schema, pointer: string, types?: ReadonlySet<JsonType>): SimpleSchema;
  /** Returns whether to check this pattern. If not, the difference has been reported. */
  acceptsPattern(pattern: string, pointer: string): boolean;
  /** Remembers an object without other members, for `closeIntersectedObjects`. */
  addClosed(schema: SimpleSchema, pointer: string): void;
  /** Remembers an object with `propertyNames`, for `closeIntersectedObjects`. */
  addNamed(schema: SimpleSchema, pointer: string): void;
  /** Remembers a `multipleOf` that applies to numbers of any size, for `reportMultiples`. */
  addMultiple(pointer: string): void;
  /** Remembers a keyword that counts, for `relaxCountingKeywords`. */
  addCounting(pointers: readonly string[], relax: () => void): void;
}
