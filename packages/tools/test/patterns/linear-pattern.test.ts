import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { isLinearPattern } from '../../src/patterns/linear-pattern.js';
import { parsePattern } from '../../src/patterns/parse-pattern.js';
import { traceMatch } from '../support/step-counter.js';

const UUID =
  '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000)$';
const DATE_TIME =
  '^((?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))T(?:(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|([+-](?:[01]\\d|2[0-3]):[0-5]\\d))))$';

describe('patterns that are proven linear', () => {
  it.each([
    '^[A-Za-z0-9_]+$',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^https?://.+',
    '^(\\w+)/(\\w+)$',
    '^(asc|desc)$',
    '^#[0-9a-fA-F]{6}$',
    '^[\\s\\S]{1,5000}$',
    '^[a-f0-9]{64}$',
    '^[^@\\s]+@[^@\\s.]+\\.[a-z]+$',
    '^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\\d{12}:.+$',
    '^a??b$',
    '^[\\]\\\\-]$',
    'foo',
    UUID,
    DATE_TIME,
  ])('%s', (pattern) => {
    expect(isLinearPattern(pattern)).toBe(true);
  });
});

describe('patterns that are not proven linear', () => {
  it.each([
    ['a loop in a loop', '^(a+)+$'],
    ['the same, hidden in a choice', '^(a|a)*$'],
    ['neighbors that overlap', '^[a-zA-Z0-9._]+(?:[-._a-zA-Z0-9]*)$'],
    ['nothing, repeated', '^(a*)*$'],
    ['nothing in a choice, repeated', '^(a|b?)*$'],
    ['no anchor', 'a+b'],
    ['an anchor of one option only', '^a|b+$'],
    ['ways that multiply', `^${'a?'.repeat(30)}${'a'.repeat(30)}$`],
    ['a count of counts', '^(a{1,50}){1,50}$'],
    ['an overlapping tail', '^\\S+@\\S+\\.\\S+$'],
    ['look-ahead', '^(?=.*[A-Z]).{8,}$'],
    ['a back-reference', '^(.+)\\1$'],
    ['a named group', '^(?<a>b)$'],
    ['a word border', '^\\bfoo$'],
    ['an inner anchor', '^a^b$'],
    ['a broken class', '^[z-a]$'],
    ['a broken group', '^(a$'],
    ['an open class', '^[a'],
    ['a lonely backslash', '^a\\'],
    ['a broken count', '^a{2,1}$'],
    ['too long', `^${'a'.repeat(1_001)}$`],
    ['too many positions', `^(${'ab|'.repeat(150)}c)$`],
  ])('%s: %s', (_, pattern) => {
    expect(isLinearPattern(pattern)).toBe(false);
  });

  it('an escaped dollar sign is not an anchor', () => {
    expect(isLinearPattern('^a\\$')).toBe(true);
    expect(isLinearPattern('^a\\\\$')).toBe(true);
  });
});

describe('the proof holds for a matcher that counts its steps', () => {
  const piece = fc.constantFrom('a', 'b', '-', '[ab]', '[^a]', '\\w', '.', '\\d', 'ab');
  const quantifier = fc.constantFrom('', '', '+', '*', '?', '{2}', '{1,3}', '{2,}');
  const patterns = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc
      .array(
        fc.oneof(
          { depthSize: 'small' },
          fc
            .tuple(piece, quantifier)
            .map(([text, times]) => (text.length === 2 ? `(?:${text})${times}` : text + times)),
          fc.tuple(tie('pattern'), quantifier).map(([inner, times]) => `(${inner})${times}`),
          fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((pieces) => pieces.join('')),
  })).pattern;
  const texts = fc.stringMatching(/^[ab\-1 ]{1,4}$/);

  it('the steps grow linearly with the length of the string', () => {
    let linear = 0;
    fc.assert(
      fc.property(patterns, fc.boolean(), texts, texts, texts, (body, anchored, before, pump, after) => {
        const pattern = `${anchored ? '^' : ''}${body}$`;
        const parsed = parsePattern(pattern);
        if (parsed === undefined || !isLinearPattern(pattern)) return;
        linear++;
        const stepsFor = (times: number): number =>
          traceMatch(parsed, before + pump.repeat(times) + after).steps;
        // Start later: a part with bounded repetition must have reached its maximum.
        const [few, more, most] = [stepsFor(40), stepsFor(60), stepsFor(80)];
        expect(most - more, pattern).toBeLessThanOrEqual((more - few) * 1.2 + 200);
      }),
      { numRuns: rounds(3_000) },
    );
    expect(linear).toBeGreaterThan(rounds(100));
  });

  it('the steps multiply for patterns without a proof', () => {
    const stepsOf = (pattern: string, length: number): number => {
      const parsed = parsePattern(pattern);
      return parsed === undefined ? NaN : traceMatch(parsed, 'a'.repeat(length)).steps;
    };
    expect(stepsOf('^(a+)+$', 30)).toBe(Infinity);
    expect(stepsOf('^a*a*$', 40)).toBeGreaterThan(stepsOf('^a*a*$', 20) * 3);
  });

  it('the parsed pattern matches the same strings as the JavaScript engine', () => {
    fc.assert(
      fc.property(patterns, fc.stringMatching(/^[ab\-1 ]{0,6}$/), (body, text) => {
        const parsed = parsePattern(`^${body}$`);
        if (parsed === undefined) return;
        expect(traceMatch(parsed, text).ends.has(text.length), body).toBe(
          new RegExp(`^(?:${body})$`).test(text),
        );
      }),
      { numRuns: rounds(2_000) },
    );
  });
});
