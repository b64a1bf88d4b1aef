import { parseJson } from '@mcp-fittings/toolbox/messages';
import { type SchemaPart, type ValueType, typesOf } from './schema-types.js';

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INTEGER = /^-?\d+$/;

/** The value of a string on the command line, or why it cannot be converted. */
export type TypedValue = { readonly value: unknown } | { readonly problem: string };

/**
 * Converts a string to a type that the schema permits: `3` to a number, `[…]` and `{…}` to a list and an object. If only
 * strings are permitted, it stays a string. Without a type in the schema, valid JSON is parsed.
 */
export function typedValue(text: string, schema: SchemaPart): TypedValue {
  const types = typesOf(schema);
  if (types.size === 0) return { value: parseJson(text) ?? text };
  for (const type of ['null', 'boolean', 'integer', 'number', 'array', 'object'] as const) {
    if (!types.has(type)) continue;
    const read = readAs(type, text);
    if (read !== undefined) return read;
  }
  if (types.has('string')) return { value: text };
  return { problem: `must be ${[...types].map((type) => NAMES[type] ?? type).join(' or ')}` };
}

/** Returns undefined if the text is not a value of this type. */
function readAs(type: Exclude<ValueType, 'string'>, text: string): TypedValue | undefined {
  if (type === 'integer' && INTEGER.test(text) && !Number.isSafeInteger(Number(text)))
    return { problem: 'is too large to be represented exactly as a number' };
  if (type === 'integer' || type === 'number')
    return (type === 'integer' ? INTEGER : NUMBER).test(text) ? { value: Number(text) } : undefined;
  const value = parseJson(text);
  const is = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return is === type && (type === 'array' || type === 'object' || String(value) === text)
    ? { value }
    : undefined;
}

const NAMES: Readonly<Partial<Record<ValueType, string>>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list, as JSON or by repeating name=value',
  object: 'an object, as JSON',
};
