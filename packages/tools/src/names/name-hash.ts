import { createHash } from 'node:crypto';

/** Returns 26 hexadecimal digits (104 bits) of the SHA-256 of a pair. */
export function hashPair(first: string, second: string): string {
  // JSON keeps (a, bc) and (ab, c) apart, and lone surrogates too.
  const text = JSON.stringify([first, second]);
  return createHash('sha256').update(text).digest('hex').slice(0, 26);
}
