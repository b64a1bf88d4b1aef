import { createHash } from 'node:crypto';
import { type JsonValue, isJsonList } from '../jsonc/json-value.js';

/**
 * Identifies a definition by everything in it: each field, known or not, as written, variables unexpanded. Order of
 * keys, comments and white space do not count, since they change nothing.
 */
export function definitionHash(name: string, definition: JsonValue): string {
  return createHash('sha256')
    .update(canonicalJson({ version: 1, name, definition }))
    .digest('hex');
}

/** JSON with sorted keys: the same text for equal values. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
