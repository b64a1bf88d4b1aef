import { describe, expect, it } from 'vitest';
import { z } from 'zod';
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

  it('are kept for z.toJSONSchema', () => {
    const { zod } = convertSchema({ type: 'number', multipleOf: 5 });
    expect(z.toJSONSchema(zod, { io: 'input' })).toMatchObject({ type: 'number', multipleOf: 5 });
  });

  it('in a combination, which only Zod can check, are exact if they are bounded, and reported if not', () => {
    const price = { type: 'number', multipleOf: 0.01 };
    const bounded = convertSchema({
      allOf: [{ ...price, minimum: 0, exclusiveMaximum: 1e6 }, { minimum: 1 }],
    });
    expect(bounded.coverage).toBe('exact');
    const open = convertSchema({ properties: { a: { allOf: [price, { title: 'x', minimum: 1 }] } } });
    expect(open.unchecked).toEqual([
      {
        keyword: 'multipleOf',
        pointer: '/properties/a/allOf/0',
        reason: 'Zod compares large numbers with a tolerance',
      },
    ]);
    expect(open.coverage).toBe('partial');
    expect(open.zod.safeParse({ a: 1.005 }).success).toBe(false);
  });
});

describe('patterns', () => {
  it('read a character beyond U+FFFF as one, as JSON Schema does', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^.$' } } };
    expect(accepts(schema, { a: '💩' })).toBe(true);
    expect(accepts(schema, { a: '💩💩' })).toBe(false);
    expect(convertSchema(schema).plan.quick?.accepts({ a: '💩' })).toBe(true);
  });

  it('may be valid without the u flag only', () => {
    expect(accepts({ type: 'string', pattern: '^[\\w\\-]+$' }, 'a-b')).toBe(true);
    expect(accepts({ type: 'string', pattern: '^[\\w\\-]+$' }, 'a b')).toBe(false);
  });
});
