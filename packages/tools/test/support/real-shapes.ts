/** A schema in a shape that tools of real servers have, with arguments. */
export interface RealShape {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

const text = { type: 'string', description: 'A text' };

export const REAL_SHAPES: readonly RealShape[] = [
  { name: 'no arguments', schema: { type: 'object' }, valid: [{}, { any: 1 }], invalid: [[], 'a', null] },
  {
    name: 'a closed object of texts',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { path: text, mode: { type: 'string', enum: ['read', 'write'], default: 'read' } },
      required: ['path'],
      additionalProperties: false,
    },
    valid: [{ path: '/a' }, { path: '', mode: 'write' }],
    invalid: [{}, { path: 1 }, { path: '/a', mode: 'none' }, { path: '/a', more: 1 }, { mode: 'read' }],
  },
  {
    name: 'pages in whole numbers',
    schema: {
      type: 'object',
      properties: {
        page: { type: 'integer', minimum: 1, maximum: 100 },
        after: { type: 'integer' },
        share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      },
    },
    valid: [{}, { page: 1 }, { page: 100, after: 2 ** 60, share: 0.5 }, { after: -(2 ** 60) }],
    invalid: [{ page: 0 }, { page: 101 }, { page: 1.5 }, { after: 0.5 }, { share: 1 }, { page: '1' }],
  },
  {
    name: 'lengths',
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 2, maxLength: 4 },
        tags: { type: 'array', items: text, minItems: 1, maxItems: 2 },
      },
    },
    valid: [{ title: 'ab' }, { title: 'abcd', tags: ['a', 'b'] }],
    invalid: [{ title: 'a' }, { title: 'abcde' }, { title: '😀' }, { tags: [] }, { tags: ['a', 'b', 'c'] }],
  },
  {
    name: 'texts beyond U+FFFF',
    schema: { type: 'object', properties: { icon: { type: 'string', minLength: 1, maxLength: 1 } } },
    valid: [{ icon: '😀' }],
    invalid: [{ icon: '😀😀' }, { icon: '' }],
  },
  {
    name: 'a pattern that matches in linear time',
    schema: {
      type: 'object',
      properties: { color: { type: 'string', pattern: '^#[0-9a-f]{6}$' } },
      required: ['color'],
    },
    valid: [{ color: '#00ff00' }],
    invalid: [{ color: 'green' }, { color: 1 }, {}],
  },
  {
    name: 'an omitted argument with a slow pattern',
    schema: { type: 'object', properties: { email: { type: 'string', pattern: '^(a+)+@$' }, name: text } },
    valid: [{ name: 'a' }],
    invalid: [{ name: 1 }],
  },
  {
    name: 'nullable and mixed types',
    schema: {
      type: 'object',
      properties: {
        id: { anyOf: [{ type: 'integer' }, { type: 'string' }], description: 'Number or name' },
        parent: { type: ['string', 'null'] },
        flag: { type: ['boolean', 'integer'] },
        fixed: { const: null },
      },
    },
    valid: [
      { id: 1, parent: null },
      { id: 'a', parent: 'b', flag: true },
      { flag: 3, fixed: null },
    ],
    invalid: [{ id: null }, { parent: 1 }, { flag: 0.5 }, { fixed: 0 }],
  },
  {
    name: 'a record as Zod 4 writes it',
    schema: {
      type: 'object',
      properties: {
        fields: {
          type: 'object',
          propertyNames: { type: 'string' },
          additionalProperties: { type: 'number' },
        },
      },
    },
    valid: [{ fields: {} }, { fields: { a: 1 } }],
    invalid: [{ fields: { a: 'b' } }, { fields: [] }],
  },
  {
    name: 'definitions that are used twice',
    schema: {
      type: 'object',
      properties: { from: { $ref: '#/$defs/point' }, to: { $ref: '#/$defs/point', description: 'Goal' } },
      $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
    },
    valid: [{ from: { x: 1 }, to: { x: 2 } }],
    invalid: [{ from: {} }, { to: { x: '1' } }],
  },
  {
    name: 'a definition that refers to itself',
    schema: {
      type: 'object',
      properties: { block: { $ref: '#/$defs/block' } },
      $defs: {
        block: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/block' } } },
          additionalProperties: false,
        },
      },
    },
    valid: [{ block: {} }, { block: { children: [{ children: [] }] } }],
    invalid: [{ block: { children: [{ child: 1 }] } }, { block: { children: {} } }],
  },
  {
    name: 'members that every object inherits',
    schema: { type: 'object', properties: { constructor: text, toString: text }, required: ['constructor'] },
    valid: [{ constructor: 'a' }],
    invalid: [[]],
  },
  {
    name: 'a list of different objects',
    schema: {
      type: 'object',
      properties: {
        steps: {
          type: 'array',
          items: {
            oneOf: [
              { type: 'object', properties: { kind: { const: 'click' } }, required: ['kind'] },
              { type: 'object', properties: { kind: { const: 'type' }, text }, required: ['kind', 'text'] },
            ],
          },
        },
      },
    },
    valid: [{ steps: [{ kind: 'click' }, { kind: 'type', text: 'a' }] }],
    invalid: [{ steps: [{ kind: 'type' }] }, { steps: [{}] }],
  },
];
