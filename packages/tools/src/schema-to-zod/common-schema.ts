import type { SimpleSchema } from './simple-schema.js';

const COMMON = new Set([
  '$ref',
  '$defs',
  'type',
  'enum',
  'const',
  'anyOf',
  'not',
  'description',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'additionalProperties',
]);

/**
 * Returns whether a schema and those inside it have only the keywords that nearly every schema of a real server has: no
 * intersection, nothing that counts. `buildZod` and `acceptsCommon` know exactly these.
 */
export function isCommon(schema: SimpleSchema): boolean {
  for (const keyword of Object.keys(schema)) if (!COMMON.has(keyword)) return false;
  const { $defs, anyOf, items, properties, additionalProperties } = schema;
  if ($defs !== undefined && !Object.values($defs).every(isCommon)) return false;
  if (anyOf !== undefined && !anyOf.every(isCommon)) return false;
  if (typeof items === 'object' && !isCommon(items)) return false;
  if (typeof additionalProperties === 'object' && !isCommon(additionalProperties)) return false;
  return properties === undefined || Object.values(properties).every(isCommon);
}
