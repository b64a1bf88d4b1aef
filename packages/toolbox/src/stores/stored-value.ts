import type { StoredValue } from '@mcp-fittings/client-core';
import { isRecord, parseJson } from '../messages.js';
import { storeError } from './store-error.js';

/** Largest size of one value in every store, in bytes of JSON, so that a host can switch stores without surprises: 64 KB. */
export const MAX_VALUE_BYTES = 64 * 1024;

/**
 * Serializes a value as JSON in printable ASCII, the form that every store keeps. Throws `STORE_VALUE_INVALID` for a value
 * that is not a plain JSON object, is larger than {@link MAX_VALUE_BYTES} or is nested more than 256 levels deep.
 */
export function serializeValue(value: StoredValue): string {
  const text = jsonOf(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_VALUE_BYTES) {
    throw storeError(
      'STORE_VALUE_INVALID',
      `The value to store is ${bytes} bytes of JSON; the limit is ${MAX_VALUE_BYTES}.`,
      { details: { bytes, maxBytes: MAX_VALUE_BYTES } },
    );
  }
  return text.replace(BEYOND_ASCII, escape);
}

/** Parses what {@link serializeValue} wrote. Returns undefined when the text is not a JSON object that it would accept. */
export function parseValue(text: string): StoredValue | undefined {
  const value = parseJson(text);
  return isRecord(value) && isHarmless(value, MAX_DEPTH + ENVELOPES) ? value : undefined;
}

/** JSON.parse accepts any depth; code that walks the value later, JSON.stringify included, does not. */
const MAX_DEPTH = 256;
/** Room for the objects that a store wraps a value in. */
const ENVELOPES = 8;

/** False for a value too deep to copy or serialize, and for own members named `__proto__`, which a copy would apply. */
function isHarmless(value: object, maxDepth: number): boolean {
  let level: readonly object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth || level.some((each) => Object.hasOwn(each, '__proto__'))) return false;
    level = level.flatMap((each) =>
      Object.values(each).filter((member) => typeof member === 'object' && member !== null),
    );
  }
  return true;
}

function jsonOf(value: StoredValue): string {
  let text: string | undefined;
  try {
    text = isRecord(value) ? JSON.stringify(value) : undefined;
  } catch (cause) {
    // The error of a cycle names the members, never their values.
    throw storeError('STORE_VALUE_INVALID', 'The value to store cannot be represented as JSON.', { cause });
  }
  if (text?.startsWith('{') !== true) {
    throw storeError('STORE_VALUE_INVALID', 'The value to store is not a plain JSON object.');
  }
  const written: unknown = JSON.parse(text);
  if (!isRecord(written) || !isHarmless(written, MAX_DEPTH)) {
    throw storeError(
      'STORE_VALUE_INVALID',
      `The value to store is more than ${MAX_DEPTH} levels deep, or has a member named "__proto__".`,
    );
  }
  return text;
}

/** Native keychains, and code that cuts a text into pieces, are only safe with ASCII. */
const BEYOND_ASCII = /[^\u0020-\u007e]/g;

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
