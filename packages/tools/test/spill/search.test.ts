import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { rounds } from '../../../../scripts/rounds.js';
import { compileSearch, searchText } from '../../src/spill/search-text.js';
import { NO_SIGNAL, referenceOf, spilling } from './support.js';

/** Numbers of the lines that match. */
async function linesWith(text: string, pattern: string, ignoreCase = false): Promise<readonly number[]> {
  const { matches, next } = await searchText(text, compileSearch(pattern, ignoreCase), {
    from: 0,
    maxMatches: 10_000,
    budgetMs: 60_000,
    clock: createManualClock(),
    signal: NO_SIGNAL,
  });
  expect(next).toBeUndefined();
  return matches.map(({ line }) => line);
}

/** Patterns that both engines read in the same way. */
const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\d', '\\w', '\\s', 'ab', '1'),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'))
      .map(([a, quantifier]) => `(${a})${quantifier}`),
  ),
})).pattern;

describe('search', () => {
  it('finds the lines that a regular expression of JavaScript finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        patterns,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.array(fc.stringMatching(/^[abcAB1 ]{0,12}$/), { minLength: 1, maxLength: 12 }),
        async (body, anchored, closed, ignoreCase, lines) => {
          const pattern = `${anchored ? '^' : ''}${body}${closed ? '$' : ''}`;
          const reference = new RegExp(pattern, ignoreCase ? 'i' : '');
          fc.pre(!new RegExp(`^(?:${body})$`).test(''));
          const expected = lines.flatMap((line, index) => (reference.test(line) ? [index + 1] : []));
          expect(await linesWith(lines.join('\n'), pattern, ignoreCase)).toEqual(expected);
        },
      ),
      { numRuns: rounds(1_500) },
    );
  });

  it.each([
    '(a+)+$',
    '(a|a)*b',
    '(.*)*x',
    '(a?){50}a{50}',
    '([a-z]+)*\\d',
    'a.*a.*a.*a.*a.*b',
    '(?:a|b)*a(?:a|b){12}c',
  ])(
    'a pattern that makes other engines hang takes linear time: %s',
    async (pattern) => {
      const text = `${'a'.repeat(300_000)}!\n${'ab'.repeat(150_000)}`;
      const started = performance.now();
      await searchText(text, compileSearch(pattern, false), {
        from: 0,
        maxMatches: 50,
        budgetMs: 60_000,
        clock: createManualClock(),
        signal: NO_SIGNAL,
      }).catch((error: unknown) => expect(error).toMatchObject({ code: 'ARGUMENTS_INVALID' }));
      // It takes 100 ms at most; an engine that backtracks takes years.
      expect(performance.now() - started).toBeLessThan(20_000);
    },
    30_000,
  );

  it('finds a match wherever it is in a text of one line', async () => {
    for (const before of [65_530, 65_533, 65_536, 131_070]) {
      const { big, read } = spilling({
        content: [{ type: 'text', text: `${'x'.repeat(before)}needle${'y'.repeat(70_000)}` }],
      });
      const { rendering } = await read({ reference: referenceOf(await big()), pattern: 'ne{2}dle' });
      expect(rendering.text).toMatch(/^line 1, offset \d+: x{160}needley{154}\n\[Searched .*: 1 match\.\]$/);
    }
  });

  it('ends after many matches and continues where it was', async () => {
    const lines = Array.from({ length: 1_000 }, (_, index) =>
      index % 3 === 0 ? `hit ${index + 1}` : 'miss',
    );
    const { big, read } = spilling({ content: [{ type: 'text', text: lines.join('\n') }] });
    const reference = referenceOf(await big());
    const found: string[] = [];
    for (let args: object | undefined = { reference, pattern: '^hit \\d+$' }; args !== undefined;) {
      const { rendering } = await read(args);
      for (const [, line, excerpt] of rendering.text.matchAll(/^line (\d+), offset \d+: (.*)$/gm)) {
        expect(excerpt).toBe(`hit ${line ?? ''}`);
        found.push(excerpt ?? '');
      }
      const [, next] = /Continue with (\{.*\})\.\]$/.exec(rendering.text) ?? [];
      args = next === undefined ? undefined : (JSON.parse(next) as object);
    }
    expect(found).toEqual(lines.filter((line) => line !== 'miss'));
  });

  it('in a long line, every region with a match is reported', async () => {
    const text = Array.from({ length: 40 }, (_, index) => `key${index}`.padEnd(500, '.')).join('');
    const { matches } = await searchText(text, compileSearch('key\\d+', false), {
      from: 0,
      maxMatches: 100,
      budgetMs: 1_000,
      clock: createManualClock(),
      signal: NO_SIGNAL,
    });
    expect(matches).toHaveLength(40);
    expect(matches.every(({ line, excerpt }) => line === 1 && excerpt.length <= 321)).toBe(true);
  });

  it('anchors match at the ends of a long line, and not where it is cut', async () => {
    const long = 'ab'.repeat(50_000);
    expect(await linesWith(`${long}c\n${long}`, '^ab')).toEqual([1, 2]);
    expect(await linesWith(`${long}c\n${long}`, 'b$')).toEqual([2]);
    expect(await linesWith(`${long}c\n${long}`, '^b')).toEqual([]);
    expect(await linesWith(`${long}c\n${long}`, 'c')).toEqual([1]);
  });

  it('`^` is the beginning of a line, not of what follows a match', async () => {
    const text = `${'a'.repeat(2_000)}\nab`;
    const { matches } = await searchText(text, compileSearch('^a', false), {
      from: 0,
      maxMatches: 100,
      budgetMs: 1_000,
      clock: createManualClock(),
      signal: NO_SIGNAL,
    });
    expect(matches.map(({ line, offset }) => [line, offset])).toEqual([
      [1, 0],
      [2, 2_001],
    ]);
  });

  it('stops when its time is up, says so, and continues', async () => {
    const text = 'x'.repeat(300_000);
    let time = 0;
    const clock = { now: () => (time += 1_500), schedule: () => ({ [Symbol.dispose]: () => undefined }) };
    const search = await searchText(text, compileSearch('y', false), {
      from: 0,
      maxMatches: 10,
      budgetMs: 2_000,
      clock,
      signal: NO_SIGNAL,
    });
    expect(search).toMatchObject({ matches: [], timedOut: true });
    // A part of what was read is searched again: a match may continue in what was not.
    expect(search.next).toBeGreaterThan(65_536);
    expect(search.next).toBeLessThan(196_608);
  });

  it.each([
    ['a lookahead', '(?=a)b', 'a lookaround'],
    ['a backreference', '(a)\\1', 'a backreference'],
    ['invalid syntax', '(a', 'not a regular expression'],
    ['empty text', 'a*', 'matches empty text'],
    ['numbers in the wrong order', 'a{3,1}', 'not a regular expression'],
    ['too many repetitions', '(?:a{900}){900}', 'another part that could take very long'],
    ['a long pattern', 'a'.repeat(1_001), 'more than 1000'],
  ])('a pattern with %s is rejected with the reason', async (_, pattern, reason) => {
    const { big, read } = spilling({ content: [{ type: 'text', text: 'a'.repeat(2_000) }] });
    const event = await read({ reference: referenceOf(await big()), pattern });
    expect(event).toMatchObject({ type: 'error', error: { code: 'ARGUMENTS_INVALID' } });
    expect(event.rendering.text).toContain(reason);
  });

  it('is aborted with its call', async () => {
    const text = 'x'.repeat(300_000);
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    const search = searchText(text, compileSearch('y', false), {
      from: 0,
      maxMatches: 10,
      budgetMs: 2_000,
      clock: createManualClock(),
      signal: controller.signal,
    });
    await expect(search).rejects.toThrow('stop');
  });
});
