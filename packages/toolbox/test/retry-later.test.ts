import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../src/refusal/refusal.js';

const NOW = Date.parse('2026-11-20T10:00:00Z');

describe('Retry-After', () => {
  it.each<[string | undefined, number | undefined]>([
    ['0', 0],
    ['5', 5000],
    [' 5 ', 5000],
    ['86401', 86_400_000],
    ['1e12', undefined],
    ['1000000000000', 86_400_000],
    ['9'.repeat(400), 86_400_000],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['Fri, 20 Nov 2099 10:00:00 GMT', 86_400_000],
    ['Friday, 20-Nov-26 10:00:30 GMT', 30_000],
    [`Fri, 20 Nov 2026${' '.repeat(12)}10:00:30 GMT`, 30_000],
    [`Fri, 20 Nov 2026${' '.repeat(13)}10:00:30 GMT`, undefined],
    ['Fri Nov 20 10:00:30 2026 GMT', 30_000],
    ['Fri, 99 Nov 2026 10:00:30 GMT', undefined],
    ['2026-11-20T10:00:30Z', undefined],
    ['20 Nov', undefined],
    [`Fri, ${'x'.repeat(100_000)} 10:00:30`, undefined],
  ])('%j', (value, expected) => expect(parseRetryAfter(value, NOW)).toBe(expected));
});
