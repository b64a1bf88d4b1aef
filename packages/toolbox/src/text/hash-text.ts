import { sha256 } from '#sha256';
import { toBase64 } from './base64.js';

/** Returns the SHA-256 of a text as `base64url`. */
export function hashText(text: string): string {
  const base64 = toBase64(sha256(new TextEncoder().encode(text)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
