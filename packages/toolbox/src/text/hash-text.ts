import { builtin } from '../platform.js';
import { toBase64 } from './base64.js';
import { sha256 } from './sha256.js';

/** Returns the SHA-256 of a text as `base64url`. In a browser, only an asynchronous one is there already. */
export function hashText(text: string): string {
  const crypto = builtin('node:crypto');
  if (crypto !== undefined) return crypto.createHash('sha256').update(text).digest('base64url');
  const base64 = toBase64(sha256(new TextEncoder().encode(text)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
