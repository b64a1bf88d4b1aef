import { describe, expect, it } from 'vitest';
import { generateTypes } from '../../src/code-mode.js';

/** The type of a result with this schema. */
function typeOf(outputSchema: unknown, options: { readonly closed?: boolean } = {}): string {
  const tool = { server: 's', name: 't', inputSchema: { type: 'object' }, outputSchema };
  const { text } = generateTypes([tool], { server: 's', ...options });
  return (/export type TResult =\s([\s\S]*?);\n(?:\/\*\*|export)/.exec(text)?.[1] ?? text).replaceAll(
    /\s+/g,
    ' ',
  );
}

function differencesOf(outputSchema: unknown): readonly string[] {
  const tool = { server: 's', name: 't', inputSchema: { type: 'object' }, outputSchema };
  const { functions } = generateTypes([tool], { server: 's' });
  return functions.flatMap(({ differences }) =>
    differences.map(({ keyword, pointer }) => `${pointer} ${keyword}`),
  );
}

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

describe('a schema as a type', () => {
  it.each([
    [{}, 'unknown'],
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ enum: ['a', 1, null, true, { b: [1] }] }, "'a' | 1 | null | true | { b: [1]; }"],
    [{ type: 'string', enum: ['a', 1] }, "'a'"],
    [{ const: "it's" }, "'it\\'s'"],
    [{ $schema: 'http://json-schema.org/draft-04/schema#', const: 1 }, 'unknown'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'array', items: { enum: [1, 2] } }, '(1 | 2)[]'],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, {}], minItems: 1 },
      '[string, unknown?, ...unknown[]]',
    ],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, '[string?]'],
    [
      {
        $schema: DRAFT_7,
        type: 'array',
        items: [{ type: 'string' }],
        additionalItems: { type: 'number' },
        minItems: 1,
      },
      '[string, ...number[]]',
    ],
    [{ type: 'object' }, '{ [key: string]: unknown }'],
    [{ type: 'object', additionalProperties: false }, '{ [key: string]: never }'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, 'b-c': true },
        required: ['a', 'z'],
        additionalProperties: false,
      },
      "{ a: string; 'b-c'?: unknown; z: unknown; }",
    ],
    [{ type: 'object', properties: { a: false } }, '{ a?: never; [key: string]: unknown; }'],
    [
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
      '{ a?: string; [key: string]: number | string | undefined; }',
    ],
    [
      { type: 'object', properties: { a: { type: 'object' } }, additionalProperties: { type: 'number' } },
      '{ a?: { [key: string]: unknown }; [key: string]: unknown; }',
    ],
    [
      { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      '{ [key: string]: number }',
    ],
    // Without `type`, the keywords of an object say nothing about other values.
    [
      { properties: { a: { type: 'string' } }, additionalProperties: false },
      '{ a?: string; } | unknown[] | string | number | boolean | null',
    ],
    [
      { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{ a: unknown; [key: string]: unknown; } | { b: unknown; [key: string]: unknown; }',
    ],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ allOf: [{ type: 'string' }, { minLength: 1 }] }, 'string'],
    [{ allOf: [{ enum: ['a', 'b', 1] }, { type: ['string', 'null'] }] }, "('a' | 'b' | 1) & (string | null)"],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }, 'string & number'],
    [{ oneOf: [{ const: 1 }, { const: 2 }] }, '1 | 2'],
    [{ not: {} }, 'never'],
    [{ not: true }, 'never'],
    [{ type: 'string', not: false }, 'string'],
    [{ $schema: 'https://example.com/own', type: 'string' }, 'unknown'],
    [{ $ref: 'https://example.com/x.json' }, 'unknown'],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 'TResultA'],
    [{ $schema: DRAFT_7, $ref: '#/definitions/a', type: 'number', definitions: { a: {} } }, 'TResultA'],
    [
      { type: 'object', properties: { toString: { type: 'string' } }, additionalProperties: false },
      '{ toString?: unknown; }',
    ],
  ])('%j is %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  it('has a name for each part that a reference leads to, also if it leads back', () => {
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/tree-node' } }, root: { $ref: '#' } },
      $defs: { 'tree-node': { type: 'object', properties: { up: { $ref: '#/$defs/tree-node' } } } },
    };
    const { text } = generateTypes([{ server: 's', name: 'grow', inputSchema: tree }], { server: 's' });
    expect(text).toContain('children?: readonly GrowArgumentsTreeNode[];');
    expect(text).toContain('root?: GrowArguments;');
    expect(text).toContain('up?: GrowArgumentsTreeNode;');
  });

  it('says where the type accepts more', () => {
    expect(
      differencesOf({
        type: 'object',
        properties: {
          a: { not: { type: 'string' } },
          b: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        },
        patternProperties: { '^x': {} },
        additionalProperties: { type: 'string' },
        allOf: [{ $ref: '#/nowhere' }],
      }),
    ).toEqual([
      '/properties/a not',
      '/properties/b oneOf',
      ' patternProperties',
      ' additionalProperties',
      '/allOf/0 $ref',
    ]);
  });

  it('leaves out a part that makes more than 1000 combinations, anywhere', () => {
    const ten = { anyOf: Array.from({ length: 10 }, (_, at) => ({ properties: { [`p${at}`]: {} } })) };
    const combined = (count: number) => ({ type: 'object', allOf: Array.from({ length: count }, () => ten) });
    const inside = (count: number) => ({ type: 'object', properties: { a: combined(count) } });
    expect([combined(3), inside(3)].map(differencesOf)).toEqual([[], []]);
    expect([combined(4), inside(4)].map(differencesOf)).toEqual([[' allOf'], [' allOf']]);
  });

  it('with `closed`, a property that is not listed is an error, except where the schema names it', () => {
    const listed = { type: 'object', properties: { a: {} } };
    expect(typeOf(listed, { closed: true })).toBe('{ a?: unknown; }');
    expect(typeOf({ ...listed, additionalProperties: true }, { closed: true })).toContain(
      '[key: string]: unknown',
    );
    expect(typeOf({ type: 'object' }, { closed: true })).toBe('{ [key: string]: unknown }');
  });
});
