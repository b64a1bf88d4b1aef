import type { StoredValue } from '@mcp-fittings/client-core/auth';
import { isRecord } from '@mcp-fittings/client-core';
import { storeError } from './store-error.js';

/** Bytes of JSON that one value may have, in every store, so that a host can change the store without surprises. */
export const MAX_VALUE_BYTES = 64 * 1024;

/** The value as JSON in ASCII, or STORE_VALUE_INVALID. */
export function serializeValue(value: StoredValue): string {
  const text = jsonOf(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_VALUE_BYTES) {
    throw storeError(
      'STORE_VALUE_INVALID',
      `A stored value may have ${MAX_VALUE_BYTES} bytes, not ${bytes}.`,
      {
        details: { bytes, maxBytes: MAX_VALUE_BYTES },
      },
    );
  }
  return text.replace(BEYOND_ASCII, escape);
}

/** The other way; undefined where the text is not a JSON object that {@link serializeValue} would take. */
export function parseValue(text: string): StoredValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isHarmless(value, MAX_DEPTH + ENVELOPES) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON.parse goes as deep as the text does; what comes after it, JSON.stringify too, does not. */
const MAX_DEPTH = 256;
/** Values are read inside of what a store wraps them in. */
const ENVELOPES = 8;

/** False for what is too deep to be copied or written, and for own members named `__proto__`, which a copy would obey. */
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
    // The cause of a cycle names its members, never their values.
    throw storeError('STORE_VALUE_INVALID', 'The value can not be written as JSON.', { cause });
  }
  if (text?.startsWith('{') !== true) {
    throw storeError('STORE_VALUE_INVALID', 'A stored value has to be a plain JSON object.');
  }
  const written: unknown = JSON.parse(text);
  if (!isRecord(written) || !isHarmless(written, MAX_DEPTH)) {
    throw storeError(
      'STORE_VALUE_INVALID',
      `A stored value may be ${MAX_DEPTH} levels deep, and must not have members named "__proto__".`,
    );
  }
  return text;
}

/** Native keychains, and cutting a text into pieces, can not be trusted with anything else. */
const BEYOND_ASCII = /[^\u0020-\u007e]/g;

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
