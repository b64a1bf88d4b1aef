import { createHash } from 'node:crypto';

/**
 * One short name for a list of texts, fit for a file or a keychain account: 43 letters, digits, `-` and `_`. Lists
 * that differ have different names, also `['a', 'bc']` and `['ab', 'c']`, texts with NUL or lone surrogates, and texts
 * of any length.
 */
export function entryName(...parts: readonly string[]): string {
  // JSON keeps the borders of the parts and writes a lone surrogate as an escape, which plain UTF-8 would lose.
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
