import { describe, expect, it } from 'vitest';
import { readTestSuite } from '../support/test-suite.mjs';
import { convertSchema, type ConvertedSchema } from '../../src/schema-to-zod/convert-schema.js';
import { checkValue } from '../../src/validation/check-value.js';

/** Formats are annotations here, and JavaScript has one kind of number. */
const OTHER_BY_INTENT = new Set(['optional/format.json', 'optional/zeroTerminatedFloats.json']);

const cases = readTestSuite().filter(({ file }) => !OTHER_BY_INTENT.has(file));

it('the test suite is installed', () => {
  expect(cases.flatMap(({ tests }) => tests).length).toBeGreaterThan(200);
});

describe('the test-suite of JSON Schema, draft-04', () => {
  it.each(cases)('$file: $description', async ({ file, schema, tests }) => {
    let converted: ConvertedSchema;
    try {
      converted = convertSchema(schema);
    } catch (error) {
      expect(error).toMatchObject({ code: 'SCHEMA_REFUSED' });
      expect(['ref.json', 'refRemote.json', 'definitions.json']).toContain(file);
      return;
    }
    for (const { description, data, valid } of tests) {
      const accepted = checkValue(converted, data).length === 0;
      if (valid) expect(accepted, description).toBe(true);
      else if (converted.coverage === 'exact') expect(accepted, description).toBe(false);
    }
  });
});
