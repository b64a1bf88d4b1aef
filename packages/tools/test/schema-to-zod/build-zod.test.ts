import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { checkValue } from '../../src/validation/check-value.js';
import { REAL_SHAPES } from '../support/real-shapes.js';

describe('a schema of a real server as a Zod schema', () => {
  it.each(REAL_SHAPES)('$name accepts and rejects', ({ schema, valid, invalid }) => {
    const converted = convertSchema(schema);
    for (const value of valid) expect(checkValue(converted, value)).toEqual([]);
    for (const value of invalid) expect(checkValue(converted, value)).not.toEqual([]);
  });

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

  it('keeps combinations and patterns for z.toJSONSchema', () => {
    const { zod } = convertSchema({ allOf: [{ type: 'string', pattern: '^a' }, { minLength: 2 }] });
    expect(z.toJSONSchema(zod, { io: 'input' })).toMatchObject({
      allOf: [
        { type: 'string', pattern: '^a' },
        { anyOf: expect.arrayContaining([{ type: 'string', minLength: 2 }]) },
      ],
    });
  });
});
