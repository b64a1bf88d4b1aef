import { isRecord } from '@mcp-fittings/client-core';
import type { ModelSchema } from './model-schema.js';

/** What strict mode knows. Anything else makes the API refuse the whole request. */
const KNOWN = new Set([
  '$defs',
  '$ref',
  'additionalProperties',
  'anyOf',
  'const',
  'description',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'multipleOf',
  'pattern',
  'properties',
  'required',
  'title',
  'type',
]);
const DEEPEST = 10;
const MOST_PROPERTIES = 5_000;
const MOST_VALUES = 1_000;

/**
 * Whether a schema meets the demands of OpenAI's strict mode as it is: every object closed, every member required, no
 * keyword that it does not know, within its limits.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function fitsStrictMode(schema: ModelSchema): boolean {
  const counts = { properties: 0, values: 0 };
  return fits(schema, 0, counts) && counts.properties <= MOST_PROPERTIES && counts.values <= MOST_VALUES;
}

function fits(schema: unknown, depth: number, counts: { properties: number; values: number }): boolean {
  if (!isRecord(schema) || depth > DEEPEST || !Object.keys(schema).every((key) => KNOWN.has(key)))
    return false;
  const { properties, required, items, anyOf, $defs, enum: values } = schema;
  if (Array.isArray(values)) counts.values += values.length;
  if (schema['type'] === 'object' || properties !== undefined) {
    if (!isRecord(properties) || schema['additionalProperties'] !== false) return false;
    const names = Object.keys(properties);
    const listed: readonly unknown[] = Array.isArray(required) ? required : [];
    if (!names.every((name) => listed.includes(name))) return false;
    counts.properties += names.length;
  }
  const inner: unknown[] = [
    ...(isRecord(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(isRecord($defs) ? Object.values($defs) : []),
  ];
  return inner.every((part) => fits(part, depth + 1, counts));
}
