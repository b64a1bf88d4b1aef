import type { Json } from './copy-json.js';

/** The types of JSON values that a JSON Schema tells apart; an integer is a number. */
export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** In the order in which a person writes a union: `string | null`. */
export const JSON_TYPES: readonly JsonType[] = ['object', 'array', 'string', 'number', 'boolean', 'null'];
export const ALL_TYPES: ReadonlySet<JsonType> = new Set(JSON_TYPES);

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}
