import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 26;

/** Returns 26 characters (130 bits) of the SHA-256 of a pair, in the base32 alphabet of lower-case letters and digits. */
export function hashPair(first: string, second: string): string {
  // JSON keeps (a, bc) and (ab, c) apart, and lone surrogates too.
  const bytes = createHash('sha256')
    .update(JSON.stringify([first, second]))
    .digest();
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31] ?? '';
    }
    held &= (1 << bits) - 1;
    if (text.length >= LENGTH) break;
  }
  return text.slice(0, LENGTH);
}
