import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rounds } from '../../../../scripts/rounds.js';
import { copyJson, type Json } from '../../src/json/copy-json.js';
import { convertSchema, type ConvertedSchema } from '../../src/schema-to-zod/convert-schema.js';
import { CHECKED_VALUE_LIMITS, createSchemaChecker } from '../../src/validation/schema-checker.js';
import { jsonSchemas, jsonValues } from '../support/arbitrary-schemas.js';
import { REAL_SHAPES } from '../support/real-shapes.js';

const checker = createSchemaChecker({ budgetMs: 30_000 });
afterAll(() => checker[Symbol.asyncDispose]());

/** What `z.fromJSONSchema` makes of the same simplified schema, as the worker thread uses it. */
function byZod({ plan }: ConvertedSchema): z.ZodType | undefined {
  if (plan.schema === undefined || plan.stepsPerValue === Infinity) return undefined;
  return z.fromJSONSchema(plan.schema, { registry: z.registry() });
}

function copyOf(value: unknown): Json {
  const copy = copyJson(value, CHECKED_VALUE_LIMITS);
  if (copy.problem !== undefined) throw new Error(copy.problem);
  return copy.value;
}

/** A schema whose check is the one of `z.fromJSONSchema`. */
const asBefore = (converted: ConvertedSchema, zod: z.ZodType): ConvertedSchema => ({
  coverage: converted.coverage,
  unchecked: converted.unchecked,
  zod,
  plan: { schema: {}, stepsPerValue: converted.plan.stepsPerValue, merges: converted.plan.merges },
});

async function compare(schema: Record<string, unknown>, values: readonly unknown[]): Promise<void> {
  const converted = convertSchema(schema);
  const zod = byZod(converted);
  if (zod === undefined) return;
  for (const value of values) {
    const copy = copyOf(value);
    // Zod reads a character beyond U+FFFF as two when it matches a pattern.
    if (!/[\ud800-\udfff]/.test(JSON.stringify(value))) {
      const expected = zod.safeParse(copy).success;
      expect(converted.zod.safeParse(copy).success, JSON.stringify(value)).toBe(expected);
      if (converted.plan.quick?.accepts(copy) === true) expect(expected, JSON.stringify(value)).toBe(true);
    }
    expect(await checker.check(converted, value)).toEqual(
      await checker.check(asBefore(converted, zod), value),
    );
  }
}

describe('a schema built without z.fromJSONSchema', () => {
  it.each(REAL_SHAPES)('$name accepts, rejects and reports the same', async ({ schema, valid, invalid }) => {
    await compare(schema, [...valid, ...invalid]);
    const converted = convertSchema(schema);
    for (const value of valid) expect(await checker.check(converted, value)).toEqual([]);
    for (const value of invalid) expect(await checker.check(converted, value)).not.toEqual([]);
  });

  it('accepts and rejects the same for arbitrary schemas', async () => {
    await fc.assert(
      fc.asyncProperty(jsonSchemas, fc.array(jsonValues, { minLength: 5, maxLength: 5 }), compare),
      {
        numRuns: Number(process.env['FC_RUNS'] ?? rounds(1000)),
        seed: Number(process.env['FC_SEED'] ?? 20_261_123),
      },
    );
  }, 1_200_000);

  it('keeps descriptions and integers for z.toJSONSchema', () => {
    const { zod } = convertSchema({
      type: 'object',
      description: 'Pages',
      properties: { page: { type: 'integer', minimum: 1, description: 'From 1' } },
      required: ['page'],
    });
    expect(z.toJSONSchema(zod, { io: 'input' })).toMatchObject({
      type: 'object',
      description: 'Pages',
      properties: { page: { type: 'integer', minimum: 1, description: 'From 1' } },
      required: ['page'],
    });
  });
});

describe('valid arguments are accepted without Zod', () => {
  it.each(REAL_SHAPES.filter(({ needsZod }) => needsZod !== true))('$name', async ({ schema, valid }) => {
    const converted = convertSchema(schema);
    const withoutZod: ConvertedSchema = {
      coverage: converted.coverage,
      unchecked: converted.unchecked,
      plan: converted.plan,
      get zod(): z.ZodType {
        throw new Error('Zod was asked.');
      },
    };
    for (const value of valid) expect(await checker.check(withoutZod, value)).toEqual([]);
  });
});
