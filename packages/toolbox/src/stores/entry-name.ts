import { createHash } from 'node:crypto';

/**
 * Returns one short name for a list of strings, valid as a file name and as a keychain account: 43 letters, digits, `-` and
 * `_` (SHA-256, base64url). Different lists have different names, including `['a', 'bc']` and `['ab', 'c']`, strings with
 * NUL or lone surrogates, and strings of any length.
 */
export function entryName(...parts: readonly string[]): string {
  // JSON keeps the boundaries of the parts and escapes a lone surrogate, which plain UTF-8 would lose.
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
