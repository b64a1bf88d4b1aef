import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';

/** Keywords whose value is one schema. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value is an array of schemas. */
export const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'items',
  'oneOf',
  'prefixItems',
]);
const HOLDS_MAP = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
];

/** A JSON Schema: an object or a boolean. */
export type Schema = JsonObject | boolean;

export function isSchema(value: Json | undefined): value is Schema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Yields every schema directly inside this one, with its path. Values of other keywords (`default`, `enum`, …) are data. */
export function* subschemas(schema: JsonObject): Iterable<readonly [path: readonly string[], Schema]> {
  for (const keyword of SCHEMA_KEYWORDS) {
    const value = schema[keyword];
    if (isSchema(value)) yield [[keyword], value];
  }
  for (const keyword of SCHEMA_LIST_KEYWORDS) {
    const value = schema[keyword];
    if (!Array.isArray(value)) continue;
    for (const [index, element] of value.entries()) {
      if (isSchema(element)) yield [[keyword, String(index)], element];
    }
  }
  for (const keyword of HOLDS_MAP) {
    const value = schema[keyword];
    if (!isJsonObject(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      if (isSchema(member)) yield [[keyword, key], member];
    }
  }
}
