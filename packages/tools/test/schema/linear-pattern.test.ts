import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { LinearPattern } from '../../src/schema/linear-pattern.js';

function compile(pattern: string): LinearPattern {
  const compiled = LinearPattern.compile(pattern);
  if (typeof compiled === 'string') throw new Error(`${pattern}: ${compiled}`);
  return compiled;
}

const PIECES = [
  'a',
  'b',
  'é',
  '-',
  '.',
  ' ',
  '💩',
  '\\.',
  '\\-',
  '\\/',
  '/',
  '\\n',
  '\\t',
  '\\xe9',
  '\\u00e9',
  '\\cJ',
  '\\0',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\b',
  '\\B',
  '^',
  '$',
  '(?<n>a)',
  '[ab]',
  '[^a]',
  '[\\s]',
  '[^\\s]',
  '[\\S]',
  '[^\\S]',
  '[\\b]',
  '[\\w-]',
  '[.]',
  '[[a]',
  '[^]',
  '[]',
  '[a\\]]',
  '[é-ü💩]',
];
const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...PIECES),
        fc
          .tuple(tie('pattern'), fc.constantFrom('+', '*', '?', '{2}', '{1,3}', '{2,}', '*?'))
          .map(([inner, times]) => `(?:${inner})${times}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(${one}|${other})`),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((pieces) => pieces.join('')),
})).pattern;
const characters = fc.constantFrom(...Array.from('ab1-. /[]éü💩\n\r\t\b\u2028\u00a0\u200b\0_'));
const texts = fc.array(characters, { maxLength: 8 }).map((all) => all.join(''));

describe('a pattern that takes linear time', () => {
  it('matches what a regular expression of JavaScript matches', () => {
    let compared = 0;
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 5, maxLength: 5 }), (pattern, all) => {
        let native: RegExp;
        try {
          native = new RegExp(pattern, 'u');
        } catch {
          return;
        }
        const compiled = LinearPattern.compile(pattern);
        if (typeof compiled === 'string') return;
        compared++;
        // V8 finds `\B` between the halves of a surrogate pair, where ECMAScript has no position.
        const subjects = pattern.includes('\\B') ? all.map((text) => text.replaceAll('💩', '')) : all;
        for (const text of subjects)
          expect(compiled.test(text), JSON.stringify(text)).toBe(native.test(text));
      }),
      { numRuns: rounds(3_000) },
    );
    expect(compared).toBeGreaterThan(rounds(1_000));
  });

  it.each([
    ['without the u flag', '^[\\w\\-]+$', 'a-b', 'a b'],
    ['with a lonely brace', '^{a}$', '{a}', 'a'],
    ['with a class that looks like one of POSIX', '^[[:alpha:]]$', 'a]', 'b'],
    ['with a character beyond U+FFFF', '^\\u{1F4A9}$', '💩', '\ud83d'],
    ['with a hyphen after white space', '^[\\s-.]+$', ' -.', ','],
  ])('may be %s: %s', (_, pattern, match, other) => {
    expect(compile(pattern).test(match)).toBe(true);
    expect(compile(pattern).test(other)).toBe(false);
  });

  it('finds matches from a place on, and sees what is before it', () => {
    const word = compile('\\bfoo');
    expect([word.find('foo afoo foo', 0), word.find('foo afoo foo', 1)]).toEqual([0, 9]);
    expect(word.find('foo afoo', 1)).toBeUndefined();
    expect(compile('^a').find('aa', 1)).toBeUndefined();
  });

  it('matches the same after its states were released', () => {
    const pattern = compile('^(?:a|b)*a(?:a|b){20}$');
    const text = 'ab'.repeat(3_000);
    const first = pattern.test(text);
    for (let times = 0; times < 40; times++) expect(pattern.test(text)).toBe(first);
  });
});

describe('a pattern that is not compiled says why', () => {
  it.each([
    ['(?=a)b', 'a lookaround'],
    ['(?<!a)b', 'a lookaround'],
    ['(a)\\1', 'a backreference'],
    ['a{1,1001}', 'another part that could take very long'],
    ['(', 'not a regular expression'],
    ['a{2,1}', 'not a regular expression'],
    ['(?i)a', 'not a regular expression'],
    ['\\p{L}', '\\p means something else'],
    ['\\Aa\\z', '\\A means something else'],
    ['\\c', '\\c means something else'],
    ['[\\c]', '\\c means something else'],
    ['\\x{41}', '\\x means something else'],
    ['\\u41', '\\u means something else'],
    ['\\ud83d\\udca9', 'a half of a character'],
    ['a'.repeat(1_001), 'more than 1000 characters'],
  ])('%s', (pattern, reason) => {
    expect(LinearPattern.compile(pattern)).toContain(reason);
  });

  it('one with 1000 characters is compiled', () => {
    expect(compile('a'.repeat(1_000)).test('a'.repeat(1_000))).toBe(true);
  });
});
