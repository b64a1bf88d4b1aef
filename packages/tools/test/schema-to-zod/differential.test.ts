import { Validator, type Schema } from '@cfworker/json-schema';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { createSchemaChecker } from '../../src/validation/schema-checker.js';
import { jsonSchemas, jsonValues } from '../support/arbitrary-schemas.js';

const checker = createSchemaChecker({ budgetMs: 30_000 });
afterAll(() => checker[Symbol.asyncDispose]());

/** An implementation that shares nothing with ours. Like ours it is told that formats are annotations. */
function judgeOf(schema: Record<string, unknown>): (value: unknown) => boolean {
  const validator = new Validator(plain(schema, 'format') as Schema, '2020-12');
  return (value) => validator.validate(plain(value)).valid;
}

/** Without prototypes: the judge looks up `constructor` in what objects inherit. */
const plain = (value: unknown, without?: string): unknown =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (key === without) return undefined;
    const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
    return isObject ? Object.assign(Object.create(null), member) : member;
  });

/** Undefined where the judge itself does not come to an end: `{ not: { $ref: '#' } }`. */
function verdictOf(judge: (value: unknown) => boolean, value: unknown): boolean | undefined {
  try {
    return judge(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Zod does not look at a member of that name. */
const hasProto = (value: unknown): boolean => JSON.stringify(value).includes('__proto__');

/** Where it counts what fits, more that fits can be less. */
const countsMatches = (schema: unknown): boolean => /"(oneOf|maxContains)"/.test(JSON.stringify(schema));

async function compare(schema: Record<string, unknown>, values: readonly unknown[]): Promise<void> {
  const converted = convertSchema(schema);
  const judge = judgeOf(schema);
  for (const value of values) {
    const expected = verdictOf(judge, value);
    if (expected === undefined) continue;
    const actual = (await checker.check(converted, value)).length === 0;
    if (expected && !(hasProto(value) && countsMatches(schema))) {
      expect(actual, `turned away ${JSON.stringify(value)}`).toBe(true);
    } else if (!expected && converted.coverage === 'exact' && !hasProto(value)) {
      expect(actual, `accepted ${JSON.stringify(value)}`).toBe(false);
    }
  }
}

it('U3 a conversion agrees with another implementation when it is exact, and only accepts more when it is not', async () => {
  await fc.assert(
    fc.asyncProperty(jsonSchemas, fc.array(jsonValues, { minLength: 5, maxLength: 5 }), compare),
    {
      numRuns: Number(process.env['FC_RUNS'] ?? rounds(3000)),
      seed: Number(process.env['FC_SEED'] ?? 20_261_120),
    },
  );
}, 1_200_000);
