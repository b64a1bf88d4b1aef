import { describe, expect, it } from 'vitest';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';

const accepts = (schema: object, value: unknown): boolean =>
  convertSchema(schema).zod.safeParse(value).success;

describe('multiples at every size', () => {
  it.each([
    [2, 4.5e15 + 0.5],
    [2, 2e15 + 1],
    [5, 2e15 + 1],
    [5, 2 ** 53 + 2],
    [0.5, 2 ** 50 + 0.25],
    [3, 1 / 3],
    [0.01, 0.005],
  ])('%d has no multiple %d', (multipleOf, value) => {
    expect(accepts({ type: 'number', multipleOf }, value)).toBe(false);
    expect(accepts({ type: 'integer', multipleOf }, value)).toBe(false);
  });

  it.each([
    [2, 4e15],
    [5, 1e300],
    [5, -(2e15 + 5)],
    [0.01, 12_345_678_901.23],
    [0.01, 1e20],
    [0.1, 0.3],
    [0.1, 0.1 + 0.2],
    [1e-7, 1],
    [7, 0],
  ])('%d has the multiple %d', (multipleOf, value) => {
    expect(accepts({ type: 'number', multipleOf }, value)).toBe(true);
  });

  it('are exact in a combination too', () => {
    const { zod, coverage } = convertSchema({ allOf: [{ type: 'number', multipleOf: 2 }, { minimum: 1 }] });
    expect(coverage).toBe('exact');
    expect([zod.safeParse(4e15).success, zod.safeParse(2e15 + 1).success]).toEqual([true, false]);
  });
});

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
const fractions = [0.5, -0.1, 1e14 + 0.05, 1e15 + 0.5, 2 ** 51 + 0.5, 4e15 + 0.5, 5e-324, 1 + Number.EPSILON];

describe('integers', () => {
  it.each([
    { type: 'integer' },
    { type: 'number', multipleOf: 1 },
    { type: ['integer', 'null'] },
    { type: 'integer', multipleOf: 1 },
    { allOf: [{ type: 'integer' }, { type: 'number' }] },
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer' },
  ])('%j takes them at every size, and no fraction', (schema) => {
    for (const value of whole) expect([value, accepts(schema, value)]).toEqual([value, true]);
    for (const value of fractions) expect([value, accepts(schema, value)]).toEqual([value, false]);
  });

  it('with bounds on both sides of the safe integers', () => {
    const schema = { type: 'integer', minimum: -1e16, exclusiveMaximum: 1e16 };
    for (const value of [-1e16, 0, 9e15, 1e16 - 2]) expect(accepts(schema, value)).toBe(true);
    for (const value of [-1e16 - 2, 1e16, 1e15 + 0.5]) expect(accepts(schema, value)).toBe(false);
    expect(accepts({ type: 'integer', minimum: 1e17 }, 1e15)).toBe(false);
  });
});
