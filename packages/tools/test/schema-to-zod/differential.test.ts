import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { checkValue } from '../../src/validation/check-value.js';
import { jsonSchemas, jsonValues } from '../support/arbitrary-schemas.js';
import { judgeOf } from '../support/reference-validator.js';

/** Zod ignores a member with this name. */
const hasProto = (value: unknown): boolean => JSON.stringify(value).includes('__proto__');

/** A keyword that counts matches can accept less if a counted schema accepts more. */
const countsMatches = (schema: unknown): boolean => /"(oneOf|maxContains)"/.test(JSON.stringify(schema));

async function compare(schema: Record<string, unknown>, values: readonly unknown[]): Promise<void> {
  const converted = convertSchema(schema);
  const judge = judgeOf(schema);
  for (const value of values) {
    const expected = judge(value);
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
