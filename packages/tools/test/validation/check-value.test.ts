import { describe, expect, it } from 'vitest';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { checkValue } from '../../src/validation/check-value.js';
import { describeIssues } from '../../src/validation/schema-issues.js';

describe('a hostile pattern', () => {
  it.each(['^(a+)+$', '^(a|a)*$', '^(?:a?){50}a{50}$', '(?:a|b)*a(?:a|b){12}c$'])(
    '%s is tested in linear time',
    (pattern) => {
      const schema = convertSchema({ type: 'object', properties: { a: { type: 'string', pattern } } });
      expect(schema.coverage).toBe('exact');
      // An engine that backtracks takes years.
      expect(schema.zod.safeParse({ a: `${'a'.repeat(20_000)}!` }).success).toBe(false);
      expect(checkValue(schema, { a: `${'a'.repeat(20_000)}!` })).toEqual([
        { path: ['a'], message: `Invalid string: must match pattern /${pattern}/` },
      ]);
    },
  );

  it('is tested in linear time in patternProperties too', () => {
    const names = convertSchema({ type: 'object', patternProperties: { '^(a+)+$': { type: 'number' } } });
    expect(checkValue(names, { [`${'a'.repeat(60)}!`]: 'x' })).toEqual([]);
    expect(checkValue(names, { aaa: 'x' })).toHaveLength(1);
  });

  it('with a lookahead is not checked, and that is reported', () => {
    const email = convertSchema({ type: 'string', pattern: '^(?!\\.)[a-z.]+@[a-z]+$' });
    expect(email.unchecked).toMatchObject([
      { keyword: 'pattern', reason: expect.stringContaining('lookaround') },
    ]);
    expect(checkValue(email, '.')).toEqual([]);
  });
});

describe('limits', () => {
  it.each([
    ['too deep', JSON.parse('['.repeat(70) + ']'.repeat(70))],
    ['too many values', Array.from({ length: 100_001 }, () => 0)],
    ['too long', 'x'.repeat(16_000_001)],
    ['not JSON', { a: () => 1 }],
    ['a bigint', 1n],
  ])('a value that is %s is refused at once', async (_, value) => {
    const issues = checkValue(convertSchema({}), value);
    expect(issues).toHaveLength(1);
    expect(describeIssues(issues)).toMatch(/^the value (is nested|holds)/);
  });

  it('a value that is too large for its schema is not checked', () => {
    const branches = Array.from({ length: 400 }, (_, index) => ({ const: index }));
    const schema = convertSchema({ type: 'array', items: { anyOf: branches } });
    expect(schema.stepsPerValue).toBe(401);
    const list = (length: number): unknown[] => Array.from({ length }, () => 'x');
    expect(checkValue(schema, list(100))).toHaveLength(10);
    expect(checkValue(schema, list(60_000))).toEqual([]);
  });

  it('a text that is too long for the patterns of its schema is not checked', () => {
    const schema = convertSchema({ type: 'string', pattern: '^[a-z]{1000}$' });
    expect(schema.stepsPerCharacter).toBeGreaterThan(1_000);
    expect(checkValue(schema, 'x'.repeat(10_000))).toHaveLength(1);
    expect(checkValue(schema, 'x'.repeat(100_000))).toEqual([]);
  });

  it('a member costs what its own schema costs, however many there are', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`p${index}`, { type: 'string', pattern: '^a$' }]),
    );
    const one = convertSchema({ properties: { p0: { type: 'string', pattern: '^a$' } } });
    expect(convertSchema({ properties })).toMatchObject({
      stepsPerValue: one.stepsPerValue,
      stepsPerCharacter: one.stepsPerCharacter,
    });
  });
});

describe('valid values that Zod alone would reject', () => {
  it.each([
    ['characters beyond U+FFFF count once', { type: 'string', maxLength: 2 }, '💩💩', '💩💩💩'],
    ['in a pattern too', { type: 'string', pattern: '^.{2}$' }, '💩💩', '💩💩💩'],
    ['and in a union', { anyOf: [{ pattern: '^.{2}$' }, { type: 'number' }] }, '💩💩', '💩💩💩'],
    ['a pattern of another engine', { type: 'string', pattern: '\\Aabc\\Z' }, 'abc', 5],
    ['a property of characters', { type: 'string', pattern: '^\\p{Lu}$' }, 'É', 5],
    ['in a combination', { allOf: [{ pattern: '^.$' }, { minLength: 1 }] }, '💩', '💩💩'],
    ['whole numbers beyond 2^53', { type: 'integer' }, 1e20, 0.5],
    ['a member named as inherited ones', { properties: { constructor: { type: 'string' } } }, {}, undefined],
  ])('%s', async (_, schema, valid, invalid) => {
    const converted = convertSchema(schema);
    expect(checkValue(converted, valid)).toEqual([]);
    if (invalid !== undefined) expect(checkValue(converted, invalid)).toHaveLength(1);
  });
});

describe('issues, for a model to read', () => {
  it('name the place, report the nearest branch of a union, and are sanitized', async () => {
    const converted = convertSchema({
      type: 'object',
      properties: {
        count: { type: 'integer' },
        target: {
          anyOf: [
            {
              type: 'object',
              properties: { file: { type: 'object', properties: { 'na\u001b[2Jme': { type: 'string' } } } },
            },
            { type: 'null' },
          ],
        },
        mode: { enum: ['\u202eevil', 'b'] },
      },
      required: ['count'],
      additionalProperties: false,
    });
    const issues = checkValue(converted, {
      count: 1.5,
      target: { file: { 'na\u001b[2Jme': 5 } },
      mode: 'c',
      other: 1,
    });
    const text = describeIssues(issues);
    expect(text).toContain('count: Invalid input: expected a whole number');
    // S32: spelled as in the description for the model.
    expect(text).toContain('target.file.na\\u{1b}[2Jme: Invalid input: expected string, received number');
    expect(text).toContain('other');
    expect(text).toMatch(/^[\x20-\x7e]+$/);
  });

  it('are at most ten', async () => {
    const issues = checkValue(
      convertSchema({ type: 'array', items: { type: 'string' } }),
      Array.from({ length: 500 }, () => 1),
    );
    expect(issues).toHaveLength(10);
  });
});
