import type { JsonLimits } from '../json/copy-json.js';

/**
 * What a schema from a server may cost. A schema beyond them is refused: no model API would take it either. (The largest
 * of 460 real ones has 264 values.)
 */
export interface SchemaLimits extends JsonLimits {
  /** Values of one `enum`. */
  readonly maxEnum: number;
  /** Schemas in one `anyOf`, `oneOf` or `allOf`. */
  readonly maxBranches: number;
}

export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  maxDepth: 64,
  maxNodes: 20_000,
  maxCharacters: 200_000,
  maxEnum: 5_000,
  maxBranches: 1_000,
};
