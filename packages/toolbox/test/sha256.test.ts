import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256 } from '../src/hash/sha256.js';

it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 100_000])(
  'hashes %i bytes as node:crypto does',
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 131) ^ (index >> 8));
    expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  },
);
