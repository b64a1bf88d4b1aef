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
/** Keywords whose value is an object of schemas, by name. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** A JSON Schema: an object or a boolean. */
export type Schema = JsonObject | boolean;

export function isSchema(value: Json | undefined): value is Schema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/**
 * Calls `visit` with every schema directly inside this one, and the steps that lead there. Values of other keywords
 * (`default`, `enum`, …) are data.
 */
export function forEachSubschema(
  schema: JsonObject,
  visit: (inner: Schema, keyword: string, step?: string) => void,
): void {
  for (const keyword of SCHEMA_KEYWORDS) {
    const value = schema[keyword];
    if (isSchema(value)) visit(value, keyword);
  }
  for (const keyword of SCHEMA_LIST_KEYWORDS) {
    const value = schema[keyword];
    if (!Array.isArray(value)) continue;
    for (let index = 0; index < value.length; index++) {
      const element: Json = value[index];
      if (isSchema(element)) visit(element, keyword, String(index));
    }
  }
  for (const keyword of SCHEMA_MAP_KEYWORDS) {
    const value = schema[keyword];
    if (!isJsonObject(value)) continue;
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (isSchema(member)) visit(member, keyword, key);
    }
  }
}
