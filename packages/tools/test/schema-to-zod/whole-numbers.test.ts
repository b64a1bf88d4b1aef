import { afterAll, describe, expect, it } from 'vitest';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { createSchemaChecker } from '../../src/validation/schema-checker.js';

const checker = createSchemaChecker();
afterAll(() => checker[Symbol.asyncDispose]());

/** In this thread and in the worker thread, which a pattern that could be slow requires. */
async function accepts(schema: Record<string, unknown>, value: number): Promise<boolean> {
  const here = convertSchema(schema);
  const slow = convertSchema({ properties: { n: schema, s: { type: 'string', pattern: '^(a+)+$' } } });
  const verdicts = [
    here.zod.safeParse(value).success,
    (await checker.check(here, value)).length === 0,
    (await checker.check(slow, { n: value, s: 'a' })).length === 0,
  ];
  expect(new Set(verdicts).size).toBe(1);
  return verdicts[0] === true;
}

const whole = [
  0,
  -0,
  1,
  -5,
  1e15,
  1e15 + 1,
  2 ** 52 + 1,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e20,
  -1e300,
  Number.MAX_VALUE,
];
const fractions = [
  0.5,
  -0.1,
  1e14 + 0.05,
  1e15 + 0.5,
  -1e15 - 0.25,
  2 ** 51 + 0.5,
  4e15 + 0.5,
  5e-324,
  1 + Number.EPSILON,
];

describe('integers', () => {
  it.each([
    { type: 'integer' },
    { type: 'number', multipleOf: 1 },
    { type: ['integer', 'null'] },
    { type: 'integer', multipleOf: 1 },
    { allOf: [{ type: 'integer' }, { type: 'number' }] },
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer' },
  ])('%j takes them at every size, and no fraction', async (schema) => {
    for (const value of whole) expect([value, await accepts(schema, value)]).toEqual([value, true]);
    for (const value of fractions) expect([value, await accepts(schema, value)]).toEqual([value, false]);
  });

  it('with bounds on both sides of the safe integers', async () => {
    const schema = { type: 'integer', minimum: -1e16, exclusiveMaximum: 1e16 };
    for (const value of [-1e16, 0, 9e15, 1e16 - 2]) expect(await accepts(schema, value)).toBe(true);
    for (const value of [-1e16 - 2, 1e16, 1e15 + 0.5]) expect(await accepts(schema, value)).toBe(false);
    expect(await accepts({ type: 'integer', minimum: 0, maximum: 10 }, 11)).toBe(false);
    expect(await accepts({ type: 'integer', minimum: 1e17 }, 1e15)).toBe(false);
  });

  it('reports what was expected, in both threads', async () => {
    const slow = convertSchema({
      type: 'object',
      properties: { n: { type: 'integer', minimum: 5 }, s: { pattern: '^(a+)+$' } },
    });
    const quick = convertSchema({ type: 'object', properties: { n: { type: 'integer', minimum: 5 } } });
    for (const schema of [slow, quick]) {
      expect(await checker.check(schema, { n: 7.5, s: 'a' })).toEqual([
        { path: ['n'], message: 'Invalid input: expected a whole number' },
      ]);
      expect(await checker.check(schema, { n: 1, s: 'a' })).toEqual([
        { path: ['n'], message: 'Too small: expected number to be >=5' },
      ]);
    }
  });
});
