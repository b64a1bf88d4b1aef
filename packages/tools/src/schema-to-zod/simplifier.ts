import type { LinearPattern } from '../schema/linear-pattern.js';
import type { Draft } from '../schema/dialect.js';
import type { SchemaDifferences } from '../schema/schema-differences.js';
import type { Schema } from '../schema/subschemas.js';
import type { JsonType } from '../json/json-types.js';
import type { SimpleSchema } from './simple-schema.js';

/** The part of {@link simplifySchema} that the functions for one type of value call. */
export interface Simplifier {
  readonly draft: Draft;
  readonly differences: SchemaDifferences;
  /** @param types The types that the surrounding schema leaves possible. Default: every type. */
  simplify(schema: Schema, pointer: string, types?: ReadonlySet<JsonType>): SimpleSchema;
  /** Returns the compiled pattern. Reports it and returns undefined if it is not checked. */
  compile(pattern: string, pointer: string): LinearPattern | undefined;
  /** Remembers a keyword that counts, for `relaxCountingKeywords`. */
  addCounting(pointers: readonly string[], relax: () => void): void;
}
