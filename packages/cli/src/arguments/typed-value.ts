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
  if (types.size === 0) return { value: parsed(text) ?? text };
  for (const type of ['null', 'boolean', 'integer', 'number', 'array', 'object'] as const) {
    if (!types.has(type)) continue;
    const read = readAs(type, text);
    if (read !== undefined) return read;
  }
  if (types.has('string')) return { value: text };
  return { problem: `must be ${[...types].map(nameOf).join(' or ')}` };
}

/** Returns undefined if the text is not a value of this type. */
function readAs(type: Exclude<ValueType, 'string'>, text: string): TypedValue | undefined {
  switch (type) {
    case 'null':
      return text === 'null' ? { value: null } : undefined;
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined;
    case 'integer':
      if (!INTEGER.test(text)) return undefined;
      return Number.isSafeInteger(Number(text))
        ? { value: Number(text) }
        : { problem: 'is too large to be represented exactly as a number' };
    case 'number':
      return NUMBER.test(text) ? { value: Number(text) } : undefined;
    case 'array':
    case 'object': {
      const value = parsed(text);
      const fits = type === 'array' ? Array.isArray(value) : isObject(value);
      return fits ? { value } : undefined;
    }
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function nameOf(type: ValueType): string {
  switch (type) {
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list, as JSON or by repeating name=value';
    case 'object':
      return 'an object, as JSON';
    default:
      return type;
  }
}
