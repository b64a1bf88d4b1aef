import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';

describe('a schema of a real server as a Zod schema', () => {
  it('keeps descriptions, integers and multiples for z.toJSONSchema', () => {
    const { zod } = convertSchema({
      type: 'object',
      description: 'Pages',
      properties: { page: { type: 'integer', minimum: 5, multipleOf: 5, description: 'From 5' } },
      required: ['page'],
    });
    expect(z.toJSONSchema(zod, { io: 'input' })).toMatchObject({
      type: 'object',
      description: 'Pages',
      properties: { page: { type: 'integer', minimum: 5, multipleOf: 5, description: 'From 5' } },
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
