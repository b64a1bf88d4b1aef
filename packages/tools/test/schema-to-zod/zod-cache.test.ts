import type { CatalogTool } from '@mcp-fittings/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rounds } from '../../../../scripts/rounds.js';
import { createTools } from '../../src/create-tools.js';
import { convertAccepted, convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { ZodCache } from '../../src/schema-to-zod/zod-cache.js';
import type { SimpleSchema } from '../../src/schema-to-zod/simple-schema.js';
import { acceptSchema } from '../../src/schema/schema-limits.js';
import { jsonSchemas } from '../support/arbitrary-schemas.js';
import { fakeHost, tool } from '../support/fake-host.js';
import { REAL_SHAPES } from '../support/real-shapes.js';

type InputSchema = CatalogTool['inputSchema'];

/** The Zod schemas of the input of each tool, by the names of the tools. */
async function inputsOf(schemas: Readonly<Record<string, InputSchema>>): Promise<Record<string, z.ZodType>> {
  const host = fakeHost(Object.entries(schemas).map(([name, inputSchema]) => tool(name, { inputSchema })));
  await using tools = createTools(host);
  return Object.fromEntries(tools.snapshot().tools.map(({ ref, input }) => [ref.tool, input.zod]));
}

function memberOf(schema: z.ZodType | undefined, name: string): unknown {
  if (!(schema instanceof z.ZodObject)) throw new Error('It is not an object.');
  return schema.shape[name];
}

const member = (zod: unknown): z.core.JSONSchema.BaseSchema => {
  if (!(zod instanceof z.ZodType)) throw new Error('It is not a schema.');
  return z.toJSONSchema(zod, { io: 'input' });
};

describe('equal members of tools share one Zod schema', () => {
  it.each([
    { type: 'string', description: 'A page' },
    { type: 'integer', minimum: 1, description: 'A page' },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    { type: 'object', additionalProperties: { type: 'number' } },
  ])('%o', async (page) => {
    const { list, search } = await inputsOf({
      list: { type: 'object', properties: { page, optional: page }, required: ['page'] },
      search: {
        type: 'object',
        properties: { page, optional: page, other: { ...page, description: 'Other' } },
        required: ['page'],
      },
    });
    expect(memberOf(list, 'page')).toBe(memberOf(search, 'page'));
    expect(memberOf(list, 'optional')).toBe(memberOf(search, 'optional'));
    expect(list?.safeParse({}).error?.issues.map(({ path }) => path)).toEqual([['page']]);
    expect(member(memberOf(search, 'other')).description).toBe('Other');
    expect(member(memberOf(search, 'page')).description).toBe('description' in page ? 'A page' : undefined);
  });

  it('but a tool has its own, which a program may change', async () => {
    const { list, search } = await inputsOf({ list: { type: 'object' }, search: { type: 'object' } });
    expect(list).not.toBe(search);
  });

  it('but not a reference, which leads somewhere else in each schema', async () => {
    const withType = (type: string): InputSchema => ({
      type: 'object',
      properties: {
        id: { $ref: '#/$defs/id' },
        ids: { type: 'array', items: { $ref: '#/$defs/id' } },
        either: { anyOf: [{ $ref: '#/$defs/id' }, { type: 'null' }] },
        named: { type: 'object', additionalProperties: { $ref: '#/$defs/id' } },
      },
      $defs: { id: { type } },
    });
    const { texts, numbers } = await inputsOf({ texts: withType('string'), numbers: withType('number') });
    const ofTexts = { id: 'a', ids: ['a'], either: 'a', named: { a: 'a' } };
    const ofNumbers = { id: 1, ids: [1], either: 1, named: { a: 1 } };
    expect(texts?.safeParse(ofTexts).success).toBe(true);
    expect(numbers?.safeParse(ofNumbers).success).toBe(true);
    const wrong = numbers?.safeParse(ofTexts).error?.issues.map(({ path }) => path[0]);
    expect(wrong).toEqual(['id', 'ids', 'either', 'named']);
  });
});

describe('a schema with shared members', () => {
  const cache = new ZodCache();
  const compare = (schema: object): void => {
    const shared = convertAccepted(acceptSchema(schema).schema, cache).zod;
    const own = convertSchema(schema).zod;
    const options = { io: 'input', unrepresentable: 'any' } as const;
    expect(z.toJSONSchema(shared, options)).toEqual(z.toJSONSchema(own, options));
  };

  it.each(REAL_SHAPES)('is the same as one of its own: $name', ({ schema }) => compare(schema));

  it('is the same as one of its own for arbitrary schemas', () => {
    fc.assert(fc.property(jsonSchemas, compare), { numRuns: rounds(300) });
  });
});

describe('a server that changes its tools again and again', () => {
  const build = (): z.ZodType => z.string();
  const first: SimpleSchema = { type: 'string', description: 'first' };
  const cases: readonly [name: string, count: number, schemaAt: (at: number) => SimpleSchema][] = [
    ['many small members', 20_000, (at) => ({ type: 'string', description: String(at) })],
    ['large texts', 600, (at) => ({ type: 'string', description: `${at}${'x'.repeat(2_000)}` })],
    ['many limits', 20_000, (at) => ({ type: 'string', maxLength: at })],
    ['large lists', 60, (at) => ({ enum: [String(at), 'x'.repeat(20_000)] })],
  ];

  it.each(cases)('does not fill the memory with %s', (_, count, schemaAt) => {
    const cache = new ZodCache();
    const known = cache.member(first, true, build);
    expect(cache.member(first, true, build)).toBe(known);
    for (let at = 0; at < count; at++) cache.member(schemaAt(at), at % 2 === 0, build);
    expect(cache.member(first, true, build)).not.toBe(known);
  });
});
