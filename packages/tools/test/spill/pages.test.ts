import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ToolResult } from '@mcp-fittings/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { renderForModel } from '../../src/results/render-result.js';
import { endOfPage } from '../../src/spill/cut-text.js';
import { pageOf } from '../../src/spill/read-result.js';
import { referenceOf, spilling, textPart } from './support.js';

/** Text with what is cut easily in a wrong place: pairs, accents, escape sequences, line breaks. */
const trickyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '😀',
        'e\u0301',
        '🇦🇹',
        '각',
        '\u001b[31mred\u001b[0m',
        '\u001b]0;title\u0007',
        '\r\n',
        '\r',
        '\n',
        '\t',
        ' ',
      ),
      fc.constantFrom('\u200b', '\u202e', '\ud83d', '\udc00', '\u009b1m', '\u{e0041}', '\u0000'),
      fc.string({ maxLength: 30 }),
      fc.integer({ min: 1, max: 40 }).map((length) => 'word '.repeat(length)),
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));

/** All pages of a kept result, one after another, as a model reads them. */
async function readAll(result: ToolResult, length: number): Promise<string> {
  const { big, read, tools } = spilling(result, { maxCharacters: 1, previewCharacters: 1 });
  await using _ = tools;
  const first = await big();
  if (first.type === 'result' && first.spilled === undefined) return first.rendering.text;
  const reference = referenceOf(first);
  let text = '';
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { rendering } = await read({ reference, offset, length });
    expect(rendering.isError, rendering.text).toBe(false);
    const [page, note = page] = rendering.parts;
    const [, from, to, total] = /^\[Characters (\d+) to (\d+) of (\d+),/.exec(textPart(note)) ?? [];
    expect(Number(from)).toBe(offset);
    const size = Number(to) - Number(from);
    // A page of white space is not sent, because some model APIs reject it.
    text += page === note ? '\u0000'.repeat(size) : textPart(page);
    if (page !== note) expect(textPart(page)).toHaveLength(size);
    offset = to === total ? undefined : Number(to);
  }
  return text;
}

describe('the whole result', () => {
  it('pages that follow each other are the whole text, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(trickyText, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 5, max: 300 }),
        async (texts, length) => {
          const result: ToolResult = {
            content: texts.map((text, index) =>
              index % 2 === 0
                ? { type: 'text', text }
                : { type: 'resource', resource: { uri: 'file:///a.txt', text } },
            ),
            structuredContent: { texts },
          };
          const whole = renderForModel(result, { maxCharacters: 10_000_000 }).text;
          const pages = await readAll(result, length);
          // Pages of white space appear as NUL, which no rendered text has.
          expect(pages).toHaveLength(whole.length);
          for (let at = 0; at < whole.length; at++)
            if (pages[at] !== '\u0000') expect(pages[at]).toBe(whole[at]);
            else expect(whole[at]?.trim()).toBe('');
        },
      ),
      { numRuns: rounds(120) },
    );
  });

  it('a long text is the same in pages, and sanitized as a whole', async () => {
    const line = 'Überlange Zeile mit 😀 und \u001b[1mfett\u001b[0m und e\u0301, dann\r\n';
    const text = line.repeat(20_000);
    const whole = sanitizeText(text, { maxLength: Infinity, multiline: true });
    expect(whole.length).toBeGreaterThan(700_000);
    expect(await readAll({ content: [{ type: 'text', text }] }, 20_000)).toBe(whole);
  });

  it('an escape sequence at every place around the end of a piece leaves nothing behind', async () => {
    for (let before = 131_072 - 12; before < 131_072 + 2; before++) {
      const text = `${'x'.repeat(before)}\u001b]0;title\u0007\r\n😀${'y'.repeat(10)}`;
      const { big, read } = spilling({ content: [{ type: 'text', text }] });
      const { rendering } = await read({ reference: referenceOf(await big()), offset: before - 1 });
      expect(textPart(rendering.parts[0])).toBe('x\n😀yyyyyyyyyy');
    }
  });

  it('a line break and a surrogate pair at the end of a piece stay one', async () => {
    for (const [end, shown] of [
      ['\r\n', '\n'],
      ['😀', '😀'],
    ] as const) {
      const text = `${'x'.repeat(131_071)}${end}y`;
      const { big, read } = spilling({ content: [{ type: 'text', text }] });
      const { rendering } = await read({ reference: referenceOf(await big()), offset: 131_070 });
      expect(textPart(rendering.parts[0])).toBe(`x${shown}y`);
    }
  });

  it('`offset` from the end, `line`, and a length', async () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `row ${index + 1}`).join('\n');
    const { big, read } = spilling({ content: [{ type: 'text', text }] });
    const reference = referenceOf(await big());
    const page = async (args: object): Promise<string> =>
      textPart((await read({ reference, ...args })).rendering.parts[0]);
    expect(await page({ offset: -9 })).toBe('row 50000');
    expect(await page({ offset: -1_000_000, length: 7 })).toBe('row 1\n');
    for (const line of [1, 2, 7_345, 12_000, 49_999, 50_000])
      expect((await page({ line, length: 30 })).split('\n')[0]).toBe(`row ${line}`);
    const { rendering } = await read({ reference, line: 50_001 });
    expect(rendering).toMatchObject({ isError: true, text: expect.stringContaining('50000 lines') });
    expect((await read({ reference, offset: text.length + 1 })).rendering.isError).toBe(true);
    expect((await read({ reference, offset: text.length })).rendering.text).toContain('This is the end');
  });
});

describe('where a page is cut', () => {
  it.each([
    ['within a surrogate pair', `${'a'.repeat(9)}😀b`, 10, 9],
    ['within a letter with its accent', `${'a'.repeat(9)}e\u0301b`, 10, 9],
    ['within a flag', 'aaaaaaa🇦🇹bbb', 9, 7],
    ['after a line near the end', 'aaaaaaa\nbbbbbbb', 10, 8],
    ['not after a line far from the end', 'aa\naaaabbbbbbb', 10, 10],
    ['at a pair that is longer than the page', '😀b', 1, 2],
    ['within a grapheme that is longer than the page', `e${'\u0301'.repeat(20)}`, 5, 5],
    ['within a grapheme of hundreds of marks', `aa${'\u0301'.repeat(400)}b`, 200, 200],
    ['not at all if it fits', 'abc', 3, 3],
  ])('%s', (_, text, length, end) => {
    expect(endOfPage(text, length)).toBe(end);
  });

  it('always advances, and never leaves half a pair', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('😀', 'a', '\u0301', '🇦', '\n', 'ᄀ', 'ᅡ'), {
          minLength: 1,
          maxLength: 200,
        }),
        fc.integer({ min: 1, max: 20 }),
        (characters, length) => {
          const text = characters.join('');
          for (let at = 0; at < text.length;) {
            const page = pageOf(text, at, length);
            expect(page.length).toBeGreaterThan(0);
            expect(page).not.toMatch(/\p{Cs}/u);
            at += page.length;
          }
        },
      ),
      { numRuns: rounds(200) },
    );
  });

  it('an offset within a surrogate pair begins before it', async () => {
    const { big, read } = spilling({ content: [{ type: 'text', text: '😀'.repeat(1_000) }] });
    const { rendering } = await read({ reference: referenceOf(await big()), offset: 11, length: 4 });
    expect(textPart(rendering.parts[0])).toBe('😀😀');
    expect(rendering.text).toContain('[Characters 10 to 14 of 2000,');
  });
});
