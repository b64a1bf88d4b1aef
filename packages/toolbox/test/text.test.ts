import { createRedactor, sanitizeText, truncateText } from '@mcp-fittings/toolbox/text';
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';

/** Nothing that a terminal obeys, or that a reader can't see. */
const HARMLESS = /^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u;

const hostile = array(
  oneof(
    string({ unit: 'binary', maxLength: 4 }),
    string({ unit: 'grapheme', maxLength: 4 }),
    constantFrom(
      '\u001b',
      '\u001b[',
      '\u001b]8;;http://x',
      '\u001b\\',
      '\u0007',
      '\u009b',
      '\u009d',
      '\u0000',
      ';',
      '1',
      'm',
      '\r',
      '\n',
      '\t',
      '\ud800',
      '\udc00',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u{e0041}',
      '\ufe0f',
      '\u034f',
      '\u3164',
      'K',
    ),
  ),
  { maxLength: 80 },
).map((parts) => parts.join(''));

describe('sanitizeText', () => {
  it('leaves only visible, harmless characters within its length, for any input', () => {
    assert(
      property(hostile, integer({ min: 0, max: 200 }), (text, maxLength) => {
        const clean = sanitizeText(text, { maxLength });
        expect(clean).toMatch(HARMLESS);
        expect(clean.length).toBeLessThanOrEqual(maxLength);
        expect(sanitizeText(clean, { maxLength })).toBe(clean);
      }),
      { numRuns: rounds(2000) },
    );
  });

  it.each([
    ['NUL', 'a\u0000b', 'ab'],
    ['right-to-left override', 'exe\u202etxt', 'exetxt'],
    ['isolates', '\u2066a\u2069', 'a'],
    ['zero-width space, joiner, BOM', 'a\u200b\u200d\ufeffb', 'ab'],
    ['tag characters', `a${String.fromCodePoint(0xe0049, 0xe0067)}b`, 'ab'],
    ['grapheme joiner and Khmer fillers', 'a\u034f\u17b4\u17b5b', 'ab'],
    ['Hangul fillers', 'a\u115f\u1160\u3164\uffa0b', 'ab'],
    ['variation selectors', `a\ufe0f${String.fromCodePoint(0xe0100)}b`, 'ab'],
    ['private use', 'a\ue000b', 'ab'],
    ['lone surrogates', 'a\ud800b\udc00', 'ab'],
    ['line and paragraph separators', 'a\u2028\u2029b', 'ab'],
    ['controls', 'a\u0085\u008db', 'ab'],
    ['backspaces that would hide text', 'safe\b\b\b\bevil', 'safeevil'],
    ['carriage returns that would overwrite', 'evil\rsafe', 'evil safe'],
    ['a sequence that would form when an inner one is removed', '\u001b\u001b[1m[31mx', '[31mx'],
    ['an unfinished sequence', 'x\u001b[31', 'x31'],
    ['a private sequence', 'x\u001b[?1049h\u001b[>0c\u001bcy', 'xy'],
    ['intermediate bytes', 'x\u001b[0 q\u001b(By', 'xy'],
    ['a link, and the text in it', '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\', 'click'],
    ['text beside its own alphabet', 'größe 中文 😀 עברית', 'größe 中文 😀 עברית'],
  ])('%s', (_, text, clean) => expect(sanitizeText(text)).toBe(clean));

  it('keeps lines and tabs when asked to', () => {
    expect(sanitizeText('a\r\nb\tc\rd', { multiline: true })).toBe('a\nb\tc\nd');
    expect(sanitizeText('a\r\nb\tc\rd')).toBe('a b c d');
  });

  it('marks a cut, and never cuts through a character', () => {
    expect(sanitizeText('abcdef', { maxLength: 6 })).toBe('abcdef');
    expect(sanitizeText('abcdefg', { maxLength: 6 })).toBe('abcde…');
    expect(sanitizeText('😀😀😀', { maxLength: 4 })).toBe('😀…');
    expect(sanitizeText(`${'\u200b'.repeat(10_000)}x`, { maxLength: 6 })).toBe('…');
  });

  it('looks only at the part of a huge text that it can show', () => {
    const units: number[] = [];
    const huge = {
      length: 1e9,
      slice(from: number, to: number) {
        units.push(to - from);
        return 'x'.repeat(to - from);
      },
    };
    expect(sanitizeText(huge as unknown as string)).toHaveLength(500);
    expect(units).toEqual([1064]);
  });

  it('takes 10^6 characters of every nasty kind in linear time', () => {
    for (const unit of [
      '\u001b',
      '\u001b[',
      '\u001b[;',
      '\u001b]',
      ';',
      '1;',
      '\u001b[1;1;',
      '\r',
      '\u0090',
      '\u001b(',
      '\u001b[ ',
    ]) {
      const text = unit.repeat(1_000_000 / unit.length);
      expect(sanitizeText(text, { maxLength: 1_000_000 })).toMatch(HARMLESS);
      expect(sanitizeText(`\u001b[${text}`, { maxLength: 1_000_000 })).toMatch(HARMLESS);
    }
  });
});

describe('truncateText', () => {
  it('has the length it is given, or one less', () => {
    assert(
      property(string({ unit: 'grapheme' }), integer({ min: -1, max: 40 }), (text, max) => {
        const cut = truncateText(text, max);
        if (text.length <= max) expect(cut).toBe(text);
        else expect(cut.length).toBeLessThanOrEqual(Math.max(0, max));
        expect(cut).not.toMatch(/[\ud800-\udbff]…$/);
      }),
    );
  });
});

describe('createRedactor: other encodings', () => {
  const SECRET = 'hunter2 (blue)~!';

  it('removes a secret that is percent-encoded as encodeURIComponent does', () => {
    expect(createRedactor([SECRET])(`?key=${encodeURIComponent(SECRET)}&x`)).toBe('?key=[redacted]&x');
  });

  it('removes a secret from within base64, wherever it starts, in both alphabets', () => {
    const redact = createRedactor([SECRET]);
    for (const user of ['', 'a', 'ab', 'abc', 'client-id:']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const header = `Basic ${Buffer.from(`${user}${SECRET}:tail`).toString(encoding)}`;
        const shown = Buffer.from(redact(header).replace('Basic ', ''), encoding).toString('latin1');
        expect(redact(header)).toContain('[redacted]');
        expect(shown).not.toMatch(/unter|blue/);
      }
    }
  });

  it('takes a secret that is not well-formed', () => {
    expect(createRedactor(['abc\ud800defg'])('x abc\ud800defg y')).toBe('x [redacted] y');
  });

  it('removes a secret, whatever surrounds it', () => {
    assert(
      property(string({ minLength: 6, maxLength: 12 }), string(), string(), (secret, before, after) => {
        const shown = createRedactor([secret])(`${before}${secret}${after}`);
        expect(shown.replaceAll('[redacted]', '\u0000')).not.toContain(secret);
      }),
    );
  });
});
