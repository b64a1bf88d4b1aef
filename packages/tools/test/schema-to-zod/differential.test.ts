import { Validator, type Schema } from '@cfworker/json-schema';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { checkValue } from '../../src/validation/check-value.js';
import { jsonSchemas, jsonValues } from '../support/arbitrary-schemas.js';

/** An independent implementation. As in ours, formats are annotations. */
function judgeOf(schema: Record<string, unknown>): (value: unknown) => boolean {
  const validator = new Validator(plain(schema, 'format') as Schema, '2020-12');
  return (value) => validator.validate(plain(value)).valid;
}

/** Without prototypes, because the reference implementation looks up inherited members such as `constructor`. */
const plain = (value: unknown, without?: string): unknown =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (key === without) return undefined;
    const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
    return isObject ? Object.assign(Object.create(null), member) : member;
  });

/** Undefined where the reference implementation does not terminate: `{ not: { $ref: '#' } }`. */
function verdictOf(judge: (value: unknown) => boolean, value: unknown): boolean | undefined {
  try {
    return judge(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Zod ignores a member with this name. */
const hasProto = (value: unknown): boolean => JSON.stringify(value).includes('__proto__');

/** A keyword that counts matches can accept less if a counted schema accepts more. */
const countsMatches = (schema: unknown): boolean => /"(oneOf|maxContains)"/.test(JSON.stringify(schema));

async function compare(schema: Record<string, unknown>, values: readonly unknown[]): Promise<void> {
  const converted = convertSchema(schema);
  const judge = judgeOf(schema);
  for (const value of values) {
    const expected = verdictOf(judge, value);
    if (expected === undefined) continue;
    const actual = checkValue(converted, value).length === 0;
    if (expected && !(hasProto(value) && countsMatches(schema))) {
      expect(actual, `turned away ${JSON.stringify(value)}`).toBe(true);
    } else if (!expected && converted.coverage === 'exact' && !hasProto(value)) {
      expect(actual, `accepted ${JSON.stringify(value)}`).toBe(false);
    }
  }
}

it('an exact conversion agrees with another implementation, and a partial one only accepts more', async () => {
  await fc.assert(
    fc.asyncProperty(jsonSchemas, fc.array(jsonValues, { minLength: 5, maxLength: 5 }), compare),
    {
      numRuns: Number(process.env['FC_RUNS'] ?? rounds(3000)),
      seed: Number(process.env['FC_SEED'] ?? 20_261_120),
    },
  );
}, 1_200_000);
