import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { checkValue } from '../../src/validation/check-value.js';

const refused = expect.objectContaining({ code: 'SCHEMA_REFUSED', kind: 'protocol', retryable: false });

describe('references to other documents', () => {
  it.each([
    ['a network reference', { $ref: 'https://evil.example/schema.json' }],
    ['in a member', { properties: { a: { $ref: 'http://127.0.0.1:1/x' } } }],
    ['deep inside', { anyOf: [{ items: { additionalProperties: { $ref: 'file:///etc/passwd' } } }] }],
    ['a relative one', { $ref: 'other.json#/a' }],
    ['one without a scheme', { $ref: '//evil.example/x' }],
    ['a dynamic one', { $dynamicRef: 'https://evil.example/#meta' }],
    ['an old recursive one', { $recursiveRef: 'x' }],
    ['to the meta-schema', { $ref: 'https://json-schema.org/draft/2020-12/schema' }],
    ['to data, next to what counts', { properties: { a: { $ref: '#/enum' } }, enum: [{ a: 5 }] }],
    ['next to others', { required: ['a'], properties: { a: { $ref: 'urn:x' }, b: { type: 'string' } } }],
  ])('%s accepts anything there, and says so', (_, schema) => {
    const { coverage, unchecked, zod } = convertSchema(schema);
    expect(coverage).toBe('$ref' in schema ? 'none' : 'partial');
    expect(unchecked.map(({ keyword }) => keyword)).toContain(
      '$dynamicRef' in schema || '$recursiveRef' in schema ? '$dynamicRef' : '$ref',
    );
    expect(zod.safeParse({ a: 5 }).success).toBe(true);
  });

  it('sends no request', async () => {
    const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    let requests = 0;
    server.on('connection', () => requests++);
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect(convertSchema({ $ref: `http://127.0.0.1:${port}/schema.json` }).coverage).toBe('none');
    server.close();
    await once(server, 'close');
    expect(requests).toBe(0);
  });

  it('resolves a reference by the URI of the document, and leaves data that looks like a reference alone', async () => {
    const own = convertSchema({
      $id: 'https://example.com/own.json',
      properties: { a: { $ref: 'https://example.com/own.json#/$defs/text' } },
      $defs: { text: { type: 'string' } },
    });
    expect(own.coverage).toBe('exact');
    expect(checkValue(own, { a: 1 })).toHaveLength(1);
    const data = convertSchema({
      default: { $ref: 'https://evil.example' },
      enum: [{ $ref: 'https://evil.example' }],
    });
    expect(data.coverage).toBe('exact');
  });
});

describe('schemas beyond the limits', () => {
  const nested = (depth: number): unknown => {
    let schema: unknown = {};
    for (let level = 0; level < depth; level++) schema = { items: schema };
    return schema;
  };
  const cyclic: Record<string, unknown> = {};
  cyclic['items'] = cyclic;

  it.each([
    ['20 000 levels', nested(20_000)],
    ['10^5 branches', { anyOf: Array.from({ length: 100_000 }, () => ({ type: 'string' })) }],
    ['1 001 branches', { oneOf: Array.from({ length: 1_001 }, () => true) }],
    ['200 000 values', { enum: Array.from({ length: 200_000 }, (_, index) => index) }],
    ['5 001 values', { enum: Array.from({ length: 5_001 }, (_, index) => index) }],
    [
      '60 000 members',
      { properties: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`p${i}`, true])) },
    ],
    ['2 MB of text', { description: 'x'.repeat(2_000_000) }],
    ['a list of 4 thousand million holes', { enum: Object.assign([], { length: 4_000_000_000 }) }],
    ['a cycle', cyclic],
    ['no object', 'string'],
    ['null', null],
    ['a list', []],
    ['a function', { type: () => 'x' }],
    ['a bigint', { minimum: 1n }],
    ['NaN', { minimum: Number.NaN }],
    ['a class instance', { default: new Date() }],
    [
      'a getter that throws',
      Object.defineProperty({}, 'type', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
    ],
    [
      'a proxy without end',
      {
        a: new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no');
            },
          },
        ),
      },
    ],
  ])('%s: refused with a typed error', (_, schema) => {
    expect(() => convertSchema(schema)).toThrow(refused);
  });

  it('accepts 60 levels and rejects 65 with a reason', () => {
    expect(convertSchema(nested(60)).coverage).toBe('exact');
    expect(() => convertSchema(nested(65))).toThrow('it is nested deeper than 64 levels');
  });

  it.each([
    ['itself at once', { $ref: '#' }],
    ['a loop of two', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['by way of combinations', { allOf: [{ anyOf: [{ oneOf: [{ $ref: '#' }] }] }] }],
    [
      'in a member',
      { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { anyOf: [{ $ref: '#/$defs/x' }] } } },
    ],
  ])('a reference to itself without end (%s): accepted as anything, and said', async (_, schema) => {
    const converted = convertSchema(schema);
    expect(converted).toMatchObject({ coverage: 'none', reason: expect.stringContaining('itself') });
    expect(checkValue(converted, { a: 1 })).toEqual([]);
    expect(converted.zod.safeParse({ a: 1 }).success).toBe(true);
  });

  it('a schema that refers to itself through a member is a tree', async () => {
    const tree = convertSchema({
      type: 'object',
      properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['value'],
    });
    expect(tree.coverage).toBe('exact');
    const leaf = { value: 1 };
    expect(checkValue(tree, { value: 1, children: [leaf, { value: 2, children: [leaf] }] })).toEqual([]);
    expect(checkValue(tree, { value: 1, children: [{ children: [] }] })).toMatchObject([
      { path: ['children', 0, 'value'] },
    ]);
  });

  it.each([
    ['one after the other', (next: object) => next],
    ['in combinations', (next: object) => ({ allOf: [next, {}] })],
    ['in unions', (next: object) => ({ anyOf: [next, { type: 'null' }] })],
    ['in members', (next: object) => ({ properties: { a: next } })],
  ])('thousands of references %s do not overflow the stack', async (_, link) => {
    for (const length of [400, 2_500]) {
      const links = Array.from({ length }, (__, index) => [
        `d${index}`,
        link({ $ref: `#/$defs/d${index + 1}` }),
      ]);
      const schema = {
        $ref: '#/$defs/d0',
        $defs: { ...Object.fromEntries(links), [`d${length}`]: { type: 'string' } },
      };
      const converted = convertSchema(schema);
      if (length > 500) expect(converted.coverage).toBe('none');
      converted.zod.safeParse({ a: { a: 1 } });
      expect(checkValue(converted, 'x')).toEqual([]);
    }
  });

  it('members with inherited names', async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"number"},"constructor":{"type":"string"}},"required":["__proto__"]}',
    ) as unknown;
    const converted = convertSchema(schema);
    expect(converted.coverage).toBe('partial');
    expect(converted.unchecked.map(({ keyword }) => keyword)).toEqual(['properties', 'properties']);
    expect(checkValue(converted, JSON.parse('{"__proto__":{"polluted":true}}'))).toEqual([]);
    expect(converted.zod.safeParse({}).success).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty('type');
  });

  it('definitions and references with inherited names', async () => {
    const schema = JSON.parse(
      '{"properties":{"a":{"$ref":"#/$defs/__proto__"},"b":{"$ref":"#/$defs/constructor"}},"$defs":{"__proto__":{"type":"string"}}}',
    ) as unknown;
    expect(convertSchema(schema)).toMatchObject({
      coverage: 'partial',
      unchecked: [{ keyword: '$ref', pointer: '/properties/b', reason: expect.stringContaining('nowhere') }],
    });
  });
});

describe('schemas whose check could take very long', () => {
  const laughs = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );
  const counted = {
    $ref: '#/$defs/n',
    $defs: {
      n: {
        type: ['array', 'number'],
        items: { $ref: '#/$defs/n' },
        contains: { $ref: '#/$defs/n' },
        maxItems: 2,
      },
    },
  };
  let deep: unknown = 1;
  for (let level = 0; level < 40; level++) deep = [deep];

  it.each([
    ['references that double', { $ref: '#/$defs/d0', $defs: { ...laughs, d40: { type: 'string' } } }, 1],
    ['a recursion that counts', counted, deep],
  ])('%s: any value is accepted, and the reason is told', (_, schema, value) => {
    const converted = convertSchema(schema);
    expect(converted).toMatchObject({ coverage: 'none', reason: expect.stringContaining('very long') });
    expect(converted.zod.safeParse(value).success).toBe(true);
    expect(checkValue(converted, value)).toEqual([]);
  });

  // 2^40 visits would never end: Zod must visit each object once for each schema.
  const part = (more: object = {}): object => ({
    type: 'object',
    properties: { a: { $ref: '#/$defs/n' } },
    ...more,
  });
  it.each([
    ['anyOf', { anyOf: [part({ required: ['x'] }), part({ required: ['y'] }), { type: 'number' }] }],
    ['oneOf', { oneOf: [part({ required: ['x'] }), part(), { type: 'number' }] }],
    ['allOf', { anyOf: [{ allOf: [part(), part()] }, { type: 'number' }] }],
    [
      'patterns',
      { anyOf: [part({ patternProperties: { '^a': { $ref: '#/$defs/n' } } }), { type: 'number' }] },
    ],
    [
      'others',
      { anyOf: [{ allOf: [part(), { additionalProperties: { $ref: '#/$defs/n' } }] }, { type: 'number' }] },
    ],
    [
      'dependencies',
      {
        anyOf: [
          { type: 'object', dependentSchemas: { a: part(), b: part(), c: part() } },
          { type: 'number' },
        ],
      },
    ],
  ])('a recursion that forks by %s stays exact, and ends', async (_, n) => {
    const converted = convertSchema({ $ref: '#/$defs/n', $defs: { n } });
    expect(converted.coverage).toBe('exact');
    for (const leaf of [1, 'x']) {
      let value: unknown = leaf;
      for (let level = 0; level < 40; level++) value = { a: value };
      converted.zod.safeParse(value);
    }
  });

  it('a recursion that differs by type is not exponential: JSON itself', async () => {
    const json = convertSchema({
      $ref: '#/$defs/json',
      $defs: {
        json: {
          anyOf: [
            { type: ['string', 'number', 'boolean', 'null'] },
            { type: 'array', items: { $ref: '#/$defs/json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
          ],
        },
      },
    });
    expect(json.coverage).toBe('exact');
    expect(checkValue(json, { a: [{ b: [null, { c: 'x' }] }] })).toEqual([]);
  });
});
