import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';
import { matchesWildcard } from '@mcp-fittings/toolbox/text';

it('agrees with the equivalent regular expression', () => {
  const piece = fc.stringMatching(/^[ab*]{0,6}$/);
  fc.assert(
    fc.property(fc.stringMatching(/^[ab*]{0,8}$/), piece, (name, pattern) => {
      expect(matchesWildcard(name, pattern)).toBe(
        new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name),
      );
    }),
    { numRuns: rounds(5_000) },
  );
});

it('treats no other character as special', () => {
  expect(matchesWildcard('axb', 'a.b')).toBe(false);
  expect(matchesWildcard('a.b', 'a.b')).toBe(true);
  expect(matchesWildcard('get_x', 'get_?')).toBe(false);
});

it('matches a pattern with many wildcards in linear time', () => {
  expect(matchesWildcard('a'.repeat(100_000), `${'*a'.repeat(1_000)}*b`)).toBe(false);
});
