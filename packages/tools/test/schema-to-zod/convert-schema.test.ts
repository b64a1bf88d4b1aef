import { describe, expect, it } from 'vitest';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { checkValue } from '../../src/validation/check-value.js';

describe('keywords that Zod cannot express are reported with their place', () => {
  it.each([
    ['not', { properties: { a: { not: { type: 'string' } } } }, '/properties/a'],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ['if', { if: { required: ['a'] }, then: { required: ['b'] } }, ''],
    ['unevaluatedProperties', { type: 'object', unevaluatedProperties: false }, ''],
    ['unevaluatedItems', { items: { type: 'array', unevaluatedItems: false } }, '/items'],
    ['$dynamicRef', { $dynamicRef: '#x' }, ''],
    ['pattern', { properties: { a: { type: 'string', pattern: '^(?!b)a' } } }, '/properties/a'],
    ['pattern', { patternProperties: { '(.)\\1': {} } }, '/patternProperties'],
    ['additionalProperties', { patternProperties: { '(.)\\1': {} }, additionalProperties: false }, ''],
    ['pattern', { type: 'string', pattern: '(' }, ''],
    ['pattern', { type: 'string', pattern: '\\p{L}' }, ''],
    ['pattern', { type: 'string', pattern: '\\Aabc\\Z' }, ''],
    ['pattern', { type: 'string', pattern: '(?i)abc' }, ''],
    ['oneOf', { oneOf: [{ not: { type: 'string' } }, { type: 'string' }] }, ''],
    ['maxContains', { type: 'array', contains: { not: { type: 'null' } }, maxContains: 1 }, ''],
  ])('%s in %j', (keyword, schema, pointer) => {
    const converted = convertSchema(schema);
    expect(converted.coverage).toBe('partial');
    expect(converted.unchecked).toContainEqual({
      keyword,
      pointer,
      reason: expect.stringMatching(/^[\x20-\x7e]+$/),
    });
  });

  it.each([
    ['type', { type: 'text' }],
    ['type', { type: ['string', 5] }],
    ['type', { type: [] }],
    ['enum', { enum: 'a' }],
    ['minLength', { minLength: '3' }],
    ['maxItems', { maxItems: 1.5 }],
    ['minimum', { minimum: '0' }],
    ['multipleOf', { multipleOf: 0 }],
    ['pattern', { pattern: 5 }],
    ['properties', { properties: [] }],
    ['properties', { properties: { a: 'string' } }],
    ['required', { required: 'a' }],
    ['required', { properties: { a: { required: true } } }],
    ['items', { items: 'string' }],
    ['anyOf', { anyOf: {} }],
    ['oneOf', { oneOf: [] }],
    ['contains', { contains: 1 }],
  ])('a malformed %s is ignored and reported', async (keyword, schema) => {
    const converted = convertSchema(schema);
    expect(converted.unchecked.map((loss) => loss.keyword)).toContain(keyword);
    expect(checkValue(converted, { a: 'x' })).toEqual([]);
  });

  it('reports the first fifty mistakes of a schema', () => {
    const faults = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`p${i}`, { not: { type: 'null' } }]),
    );
    expect(convertSchema({ properties: faults }).unchecked).toHaveLength(50);
  });
});

describe('a schema that cannot be converted says why', () => {
  it.each([
    ['an unknown dialect', { $schema: 'https://example.com/my-dialect' }, 'dialect'],
    ['no dialect at all', { $schema: 5 }, 'dialect'],
    ['a reference to nothing', { $ref: '#/$defs/missing' }, 'nowhere'],
    ['a malformed pointer', { $ref: '#/%zz' }, 'nowhere'],
    ['a part with an $id', { $defs: { a: { $id: 'x:y', $ref: '#/b' } } }, '$id'],
  ])('%s', async (_, schema, reason) => {
    const converted = convertSchema(schema);
    expect(converted).toMatchObject({ coverage: 'none', reason: expect.stringContaining(reason) });
    expect(converted.zod.safeParse(Symbol('anything')).success).toBe(true);
    expect(checkValue(converted, { any: ['thing'] })).toEqual([]);
  });
});

describe('the declared draft decides', () => {
  const check = async (schema: unknown, value: unknown): Promise<boolean> => {
    const converted = convertSchema(schema);
    expect(converted.coverage).toBe('exact');
    return checkValue(converted, value).length === 0;
  };
  const of = (revision: string): string =>
    revision.startsWith('draft-0')
      ? `http://json-schema.org/${revision}/schema#`
      : `https://json-schema.org/${revision}/schema`;

  it('2020-12 by default: keywords next to a reference apply', async () => {
    const schema = {
      properties: { a: { $ref: '#/$defs/t', maxLength: 1 } },
      $defs: { t: { type: 'string' } },
    };
    expect(await check(schema, { a: 'xy' })).toBe(false);
    expect(await check({ ...schema, $schema: of('draft/2020-12') }, { a: 'xy' })).toBe(false);
    expect(await check({ ...schema, $schema: of('draft-07') }, { a: 'xy' })).toBe(true);
  });

  it('draft-04: exclusiveMinimum is a boolean, const is ignored', async () => {
    const schema = { $schema: of('draft-04'), type: 'number', minimum: 1, exclusiveMinimum: true, const: 5 };
    expect(await check(schema, 1)).toBe(false);
    expect(await check(schema, 2)).toBe(true);
  });

  it('draft-06 and draft-07: definitions, an array of items, anchors by $id', async () => {
    const tuple = {
      $schema: of('draft-07'),
      items: [{ type: 'string' }, { $ref: '#n' }],
      additionalItems: false,
      definitions: { n: { $id: '#n', type: 'number' } },
    };
    expect(await check(tuple, ['a', 1])).toBe(true);
    expect(await check(tuple, ['a', 'b'])).toBe(false);
    expect(await check(tuple, ['a', 1, 2])).toBe(false);
    expect(await check({ ...tuple, $schema: of('draft-06') }, ['a', 1, 2])).toBe(false);
  });

  it('2019-09: dependentRequired applies, prefixItems is ignored', async () => {
    const schema = { $schema: of('draft/2019-09'), dependentRequired: { a: ['b'] }, prefixItems: [false] };
    expect(await check(schema, { a: 1 })).toBe(false);
    expect(await check(schema, { a: 1, b: 2 })).toBe(true);
    expect(await check(schema, [1])).toBe(true);
  });

  it('resolves references to members, elements, anchors and escaped names', async () => {
    const schema = {
      properties: {
        'a/b~c': { type: 'string' },
        x: { $ref: '#/properties/a~1b~0c' },
        y: { $ref: '#/anyOf/0' },
        z: { $ref: '#here' },
      },
      anyOf: [{ type: 'object' }],
      $defs: { h: { $anchor: 'here', type: 'boolean' } },
    };
    expect(await check(schema, { x: 'a', y: {}, z: true })).toBe(true);
    for (const wrong of [{ x: 1 }, { y: 1 }, { z: 1 }]) expect(await check(schema, wrong)).toBe(false);
  });
});

describe('where Zod differs from JSON Schema', () => {
  it.each<[string, object, unknown, unknown]>([
    ['a missing element', { prefixItems: [true], minItems: 1 }, [1], []],
    ['the same behind a choice', { prefixItems: [{ anyOf: [{ minimum: 1 }, {}] }], minItems: 1 }, [null], []],
    [
      'a required member that nothing allows',
      { required: ['a'], additionalProperties: false },
      'x',
      { a: 1 },
    ],
    [
      'a required member with the schema of others',
      { required: ['a'], additionalProperties: { type: 'null' } },
      { a: null },
      { a: 1 },
    ],
    [
      'a closed object in a combination',
      { allOf: [{ properties: { a: {} }, additionalProperties: false }, { minProperties: 1 }] },
      { a: 1 },
      { b: 1 },
    ],
    [
      'names in a combination',
      { allOf: [{ type: 'object', propertyNames: { maxLength: 2 } }, { minProperties: 1 }] },
      { ab: 1 },
      { abc: 1 },
    ],
    [
      'other members next to patterns',
      { properties: { b: {} }, patternProperties: { '^a': {} }, additionalProperties: { type: 'string' } },
      { a: 1, b: 1, c: 'x' },
      { a: 1, b: 1, c: 1 },
    ],
    [
      'no other member next to patterns, in a combination',
      { allOf: [{ patternProperties: { '^a': {} }, additionalProperties: false }, { required: ['a'] }] },
      { a: 1 },
      { a: 1, c: 1 },
    ],
    [
      'a required member that only a pattern allows',
      { patternProperties: { '^a': { type: 'null' } }, required: ['ab'], additionalProperties: false },
      { ab: null },
      {},
    ],
    [
      'equal elements',
      { uniqueItems: true },
      [{ a: 1, b: [] }, { a: 1 }],
      [
        { a: 1, b: [] },
        { b: [], a: 1 },
      ],
    ],
    ['elements that match', { contains: { minimum: 1 }, maxContains: 2 }, [0, 1, 1], [1, 1, 1]],
    ['lengths without items', { type: 'array', minItems: 1 }, [1], []],
    ['keywords without a type', { minLength: 2, minimum: 5 }, [], 'a'],
    ['keywords beside enum', { enum: ['a', 'abc'], minLength: 2 }, 'abc', 'a'],
    ['objects and lists as values', { enum: [{ a: [1] }] }, { a: [1] }, { a: [2] }],
    ['one type of several for a value', { type: ['string', 'null'], enum: ['a', 1, null] }, null, 1],
    [
      'the deep end of a pointer',
      {
        properties: { x: { $ref: '#/$defs/a/properties/b' } },
        $defs: { a: { type: 'null', properties: { b: { type: 'string' } } } },
      },
      { x: 's' },
      { x: null },
    ],
    ['a format', { type: 'string', format: 'email' }, 'not an address', 5],
  ])('%s', async (_, schema, valid, invalid) => {
    const converted = convertSchema(schema);
    expect(converted.coverage).toBe('exact');
    expect(checkValue(converted, valid)).toEqual([]);
    expect(checkValue(converted, invalid)).not.toEqual([]);
    expect([converted.zod.safeParse(valid).success, converted.zod.safeParse(invalid).success]).toEqual([
      true,
      false,
    ]);
  });
});

it('descriptions are kept, defaults are not filled in, and the global registry of Zod stays empty', () => {
  const { zod } = convertSchema({
    type: 'object',
    description: 'what it \u001b[31mdoes',
    id: 'shared',
    properties: { a: { type: 'string', default: 'x', id: 'shared' }, b: { id: 'shared' } },
    required: ['a'],
  });
  expect(zod.description).toBe('what it does');
  expect(zod.safeParse({}).success).toBe(false);
  expect(zod.parse({ a: 'y' })).toEqual({ a: 'y' });
});
