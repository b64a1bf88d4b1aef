import { isRecord } from '@mcp-fittings/toolbox/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicTools } from '../../src/model-apis/anthropic.js';
import { aiSdkTools } from '../../src/model-apis/ai-sdk.js';
import { geminiFunctions } from '../../src/model-apis/gemini.js';
import { openAiChatTools, openAiResponsesTools } from '../../src/model-apis/openai.js';
import { createTools } from '../../src/create-tools.js';
import type { Toolset } from '../../src/calls/toolset.js';
import { fakeHost, tool } from '../support/fake-host.js';

const USABLE_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];

/** Every mistake for which one of the three APIs is known to reject a whole request. */
function refusals(root: Record<string, unknown>): readonly string[] {
  const found: string[] = [];
  const visit = (schema: unknown, at: string): void => {
    if (!isRecord(schema)) return void found.push(`${at}: not an object`);
    const { type, items, properties, required, $ref } = schema;
    const types: readonly unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type];
    if (type !== undefined && types.length === 0) found.push(`${at}: no type`);
    if (!types.every((each) => typeof each === 'string' && TYPES.includes(each))) found.push(`${at}: type`);
    if (types.includes('array') && !isRecord(items)) found.push(`${at}: array without items`);
    if (items !== undefined && !isRecord(items)) found.push(`${at}: items`);
    if ('additionalItems' in schema || 'definitions' in schema || '$id' in schema)
      found.push(`${at}: old keyword`);
    if (Array.isArray(schema['enum']) ? schema['enum'].length === 0 : 'enum' in schema)
      found.push(`${at}: enum`);
    if (
      'required' in schema &&
      !(Array.isArray(required) && required.every((name) => typeof name === 'string'))
    ) {
      found.push(`${at}: required`);
    }
    for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum', 'minimum', 'maxLength', 'multipleOf']) {
      if (keyword in schema && typeof schema[keyword] !== 'number') found.push(`${at}: ${keyword}`);
    }
    for (const keyword of ['description', 'title', 'format', 'pattern']) {
      if (keyword in schema && typeof schema[keyword] !== 'string') found.push(`${at}: ${keyword}`);
    }
    if ('properties' in schema && !isRecord(properties)) found.push(`${at}: properties`);
    if ($ref !== undefined) {
      const name = typeof $ref === 'string' ? /^#\/\$defs\/([\w.-]+)$/.exec($ref)?.[1] : undefined;
      const definitions = root['$defs'];
      if (name === undefined || !isRecord(definitions) || !Object.hasOwn(definitions, name))
        found.push(`${at}: $ref`);
      if (Object.keys(schema).length > 1) found.push(`${at}: $ref with siblings`);
    }
    for (const [name, member] of Object.entries(isRecord(properties) ? properties : {})) {
      if (!USABLE_NAME.test(name)) found.push(`${at}: name ${JSON.stringify(name)}`);
      visit(member, `${at}/${name}`);
    }
    const definitions = schema['$defs'];
    for (const [name, member] of Object.entries(isRecord(definitions) ? definitions : {}))
      visit(member, `${at}/$defs/${name}`);
    if (isRecord(items)) visit(items, `${at}/items`);
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
      const branches = schema[keyword];
      if (branches === undefined) continue;
      if (!Array.isArray(branches) || branches.length === 0) found.push(`${at}: ${keyword}`);
      else branches.forEach((branch, index) => visit(branch, `${at}/${keyword}/${index}`));
    }
  };
  if (root['type'] !== 'object') found.push('root: type');
  if ('$ref' in root) found.push('root: $ref');
  visit(root, '');
  return found;
}

const closed = (properties: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

function toolset(schema: unknown): Toolset & { readonly calls: readonly unknown[] } {
  const host = fakeHost([tool('t', { inputSchema: schema as Record<string, unknown> })]);
  const made = createTools(host, {
    defaultPermission: 'allow',
    schemaLimits: { maxCharacters: 1_000_000 },
  }).snapshot();
  return {
    ...made,
    get calls() {
      return host.calls.map(({ args }) => args);
    },
  };
}

/** The schema as it is sent to each API. */
function definitionsOf(set: Toolset): readonly Record<string, unknown>[] {
  return [
    anthropicTools(set.tools)[0]?.input_schema,
    openAiChatTools(set.tools)[0]?.function.parameters,
    openAiResponsesTools(set.tools, { strictWherePossible: true })[0]?.parameters,
    geminiFunctions(set.tools)[0]?.parametersJsonSchema,
    aiSdkTools(set)['mcp__s__t']?.inputSchema.jsonSchema,
  ].map((schema) => schema ?? expect.unreachable());
}

const faulty: readonly (readonly [string, unknown])[] = [
  ['an array without items', { properties: { a: { type: 'array' } } }],
  ['an array or null without items', { properties: { a: { type: ['array', 'null'] } } }],
  [
    'an array without items but for its prototype',
    JSON.parse('{"properties":{"a":{"type":"array","__proto__":{"items":{}}}}}'),
  ],
  ['an array without items deep inside', { properties: { a: { anyOf: [{ items: { type: 'array' } }] } } }],
  ['items: null', { properties: { a: { type: 'array', items: null } } }],
  ['items: []', { properties: { a: { type: 'array', items: [] } } }],
  ['enum: []', { properties: { a: { type: 'string', enum: [] } } }],
  ['enum: null', { properties: { a: { enum: null } } }],
  [
    'names that APIs refuse',
    { properties: { 'a b': {}, ä: {}, '': {}, 'x/y[0]': {}, $top: {}, ['n'.repeat(65)]: {} } },
  ],
  [
    'such a name inside',
    { properties: { a: { type: 'object', properties: { 'filter[x]': { type: 'string' } } } } },
  ],
  ['tuple items', { properties: { a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } } }],
  ['closed tuple items', { properties: { a: { items: [{ type: 'string' }, {}], additionalItems: false } } }],
  [
    'a tuple of 2020-12',
    { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }], items: false } } },
  ],
  ['required: null', { required: null, properties: { a: { type: 'object', required: null } } }],
  ['required: true on a property', { properties: { a: { type: 'string', required: true } } }],
  ['required with strangers', { required: ['a', 5, 'a'], properties: { a: {} } }],
  [
    'a root $ref',
    {
      $ref: '#/definitions/Args',
      definitions: { Args: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    },
  ],
  [
    'a root $ref with empty properties',
    {
      type: 'object',
      properties: {},
      $ref: '#/$defs/A',
      $defs: { A: { $ref: '#/$defs/B' }, B: { properties: { a: {} } } },
    },
  ],
  ['a root $ref that comes back', { $ref: '#' }],
  [
    'references out of $defs',
    {
      properties: {
        a: { type: 'string' },
        b: { $ref: '#/properties/a' },
        c: { items: { $ref: '#/definitions/x' } },
      },
      definitions: { x: {} },
    },
  ],
  ['a reference to itself', { properties: { children: { type: 'array', items: { $ref: '#' } } } }],
  [
    'a reference with siblings',
    {
      properties: { a: { $ref: '#/$defs/x', description: 'Why', default: 1 } },
      $defs: { x: { type: 'number' } },
    },
  ],
  ['a reference to nothing', { properties: { a: { $ref: '#/$defs/missing' } } }],
  ['a reference to elsewhere', { properties: { a: { $ref: 'https://example.com/x.json' } } }],
  [
    'definitions with strange names',
    { properties: { a: { $ref: '#/$defs/a%20b~1c' } }, $defs: { 'a b/c': { type: 'string' } } },
  ],
  ['exclusiveMinimum: true', { properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true } } }],
  [
    'unknown types',
    {
      properties: { a: { type: 'any' }, b: { type: ['string', 'file'] }, c: { type: null }, d: { type: [] } },
    },
  ],
  ['values that are no schema', { properties: { a: null, b: 'string', c: true, d: [], e: false } }],
  ['properties: []', { properties: { a: { type: 'object', properties: [] } } }],
  [
    'texts that are none',
    { properties: { a: { description: null, title: 5, format: {}, pattern: 1, default: null } } },
  ],
  ['combinations that are none', { anyOf: [], properties: { a: { oneOf: {}, allOf: [null], anyOf: [] } } }],
  ['boolean branches', { properties: { a: { anyOf: [true, false, { type: 'string' }] } } }],
  [
    'an $id inside',
    {
      properties: { a: { $ref: '#/$defs/x' } },
      $defs: { x: { $id: 'https://example.com/x', type: 'string' } },
    },
  ],
  [
    'counts that are none',
    {
      properties: {
        a: { type: 'string', maxLength: 'ten', minLength: -1 },
        b: { type: 'number', multipleOf: '1' },
      },
    },
  ],
];

describe('no schema makes a model API reject a whole request', () => {
  it.each(faulty)('%s', (_, schema) => {
    const set = toolset(schema);
    expect(set.skipped).toEqual([]);
    for (const definition of definitionsOf(set))
      expect(refusals(JSON.parse(JSON.stringify(definition)) as typeof definition)).toEqual([]);
  });

  it('for arbitrary schemas', () => {
    const keywords =
      'type properties items prefixItems additionalItems required enum const $ref $defs definitions anyOf oneOf allOf ' +
      'additionalProperties exclusiveMinimum minimum maxLength multipleOf pattern description title format ' +
      'patternProperties not $id default a/b';
    const keyword = fc.constantFrom(...keywords.split(' '));
    const reference = fc.constantFrom(
      '#',
      '#/$defs/a b',
      '#/properties/object',
      '#/definitions/type',
      'https://x.example/y',
      '#/%',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, depthSize: 'medium' },
        fc.oneof(
          fc.constantFrom(null, true, false, 0, -1, 1.5, '', 'object', 'array', 'string', '['),
          fc.constantFrom([], ['a b', 'a b'], ['array', 'null'], [{ type: 'array' }, true], {
            type: 'array',
          }),
          reference,
          fc.record({ $ref: reference }),
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(keyword, fc.string({ unit: 'binary', maxLength: 3 })), tie('value'), {
          maxKeys: 5,
        }),
      ),
    }));
    const schema = fc.dictionary(keyword, value, { minKeys: 1, maxKeys: 6 });
    fc.assert(
      fc.property(schema, (inputSchema) => {
        const set = toolset(inputSchema);
        if (set.skipped.length > 0) return;
        for (const definition of definitionsOf(set)) {
          expect(refusals(definition)).toEqual([]);
          expect(JSON.stringify(definition)).not.toMatch(INVISIBLE);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('a reference at the root is resolved', () => {
    const { tools } = toolset(faulty.find(([name]) => name === 'a root $ref')?.[1]);
    expect(tools[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
  });

  it('for Gemini, every name in required is described, and the same arguments are accepted', () => {
    const schema = {
      properties: {
        a: { type: 'object', properties: { b: {} }, required: ['b', 'c'] },
        text: { type: 'string' },
      },
      required: ['a', 'z'],
      anyOf: [{ required: ['a'] }, { required: ['b c'], additionalProperties: false }],
    };
    expect(geminiFunctions(toolset(schema).tools)[0]?.parametersJsonSchema).toEqual({
      type: 'object',
      required: ['a', 'z'],
      properties: {
        a: { type: 'object', required: ['b', 'c'], properties: { b: {}, c: {} } },
        text: { type: 'string' },
        z: {},
      },
      anyOf: [
        { required: ['a'], properties: { a: {} } },
        { required: ['b_c'], additionalProperties: false, properties: { b_c: { not: {} } } },
      ],
    });
  });

  it('for Gemini, only objects have properties and required', () => {
    const schema = { properties: { data: { type: 'string', properties: { x: {} }, required: ['x'] } } };
    expect(geminiFunctions(toolset(schema).tools)[0]?.parametersJsonSchema.properties).toEqual({
      data: { type: 'string' },
    });
  });

  it('for Gemini, data that look like a schema are unchanged', () => {
    const data = { required: ['x'], properties: { y: 1 } };
    const schema = {
      properties: { required: { default: data, enum: [data] } },
      dependentRequired: { required: ['a'] },
      'x-note': data,
    };
    expect(geminiFunctions(toolset(schema).tools)[0]?.parametersJsonSchema).toEqual({
      type: 'object',
      ...schema,
    });
  });

  it('repairs are listed, and a valid schema is unchanged', () => {
    const { tools } = toolset({ properties: { a: { type: 'array' } } });
    expect(tools[0]?.repairs).toEqual([
      { keyword: 'items', pointer: '/properties/a', reason: 'model APIs require it for an array' },
    ]);
    const good = {
      type: 'object',
      properties: {
        a: { type: 'array', items: { $ref: '#/$defs/x' } },
        b: { anyOf: [{ const: 1 }, { type: 'null' }] },
      },
      $defs: { x: { type: 'string', minLength: 1, pattern: '^a' } },
      required: ['a'],
      additionalProperties: false,
    };
    const [same] = toolset(good).tools;
    expect(same?.inputSchema).toEqual(good);
    expect(same?.repairs).toEqual([]);
  });

  it('a reference next to both anyOf and allOf loses neither', () => {
    const { tools } = toolset({
      properties: { a: { $ref: '#/$defs/x', anyOf: [{ pattern: 'a' }], allOf: [{ minLength: 3 }] } },
      $defs: { x: { type: 'string' } },
    });
    expect(tools[0]?.inputSchema.properties['a']).toEqual({
      anyOf: [{ pattern: 'a' }],
      allOf: [{ minLength: 3 }, { $ref: '#/$defs/x' }],
    });
  });

  it('a definition may have the name of a member of every object', () => {
    const schema: unknown = JSON.parse(
      '{ "properties": { "a": { "$ref": "#/$defs/__proto__" } }, "$defs": { "__proto__": { "type": "string" } } }',
    );
    const [offered] = toolset(schema).tools;
    expect(refusals(offered?.inputSchema ?? {})).toEqual([]);
    expect(Object.entries(offered?.inputSchema['$defs'] ?? {})).toEqual([['__proto__', { type: 'string' }]]);
  });

  it('the expansion of definitions is bounded', () => {
    let schema: Record<string, unknown> = { type: 'string' };
    const refs: Record<string, unknown> = {};
    for (let level = 0; level < 30; level++) {
      schema = {
        properties: {
          next: schema,
          ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${level}_${i}`, {}])),
        },
      };
      refs[`r${level}`] = { $ref: `#/properties/deep${'/properties/next'.repeat(level)}` };
    }
    const { tools } = toolset({ properties: { deep: schema, ...refs } });
    expect(JSON.stringify(tools[0]?.inputSchema).length).toBeLessThan(3_000_000);
  });

  const times = <Item>(count: number, make: (index: number) => Item) =>
    Array.from({ length: count }, (_, i) => make(i));
  const nested = (levels: number, wrap: (inner: object) => object): object =>
    levels === 0 ? { type: 'string' } : wrap(nested(levels - 1, wrap));
  const chain = (length: number, more: (index: number) => object) =>
    Object.fromEntries(
      times(length, (i) => [`d${i}`, { ...(i < length - 1 && { $ref: `#/$defs/d${i + 1}` }), ...more(i) }]),
    );
  /** Each takes minutes if a part of it is converted as often as something leads to it. */
  it.each<[string, object]>([
    [
      'branches that lead to each other',
      {
        anyOf: times(200, () => ({ $ref: '#/$defs/d0' })),
        $defs: Object.fromEntries(
          times(6, (i) => [
            `d${i}`,
            { properties: { [`p${i}`]: {} }, anyOf: times(200, () => ({ $ref: `#/$defs/d${i + 1}` })) },
          ]),
        ),
      },
    ],
    [
      'branches that lead back',
      {
        $defs: { a: { anyOf: times(50, () => ({ $ref: '#/$defs/a' })) } },
        allOf: times(50, () => ({ $ref: '#/$defs/a' })),
      },
    ],
    [
      'closed tuples in closed tuples',
      {
        properties: { a: nested(30, (inner) => ({ type: 'array', items: [inner], additionalItems: false })) },
      },
    ],
    [
      'required names in required names',
      {
        properties: {
          a: nested(30, (inner) => ({ type: 'object', required: ['x', 'y'], additionalProperties: inner })),
        },
      },
    ],
    [
      'a long schema for many required names',
      {
        required: times(9_000, String),
        additionalProperties: { enum: times(90, (i) => `${i}`.padEnd(1_000)) },
      },
    ],
    [
      'a long chain at the root',
      { $ref: '#/$defs/d0', $defs: chain(4_900, (i) => ({ properties: { [i]: true } })) },
    ],
    [
      'a long chain in strict mode',
      closed(
        { a: { $ref: '#/$defs/d0' } },
        { $defs: chain(6_000, (i) => (i < 5_999 ? {} : { type: 'string' })) },
      ),
    ],
  ])('%s: the work and the definition are bounded', (_, schema) => {
    const set = toolset(schema);
    expect(set.skipped).toEqual([]);
    const started = performance.now();
    for (const definition of definitionsOf(set))
      expect(JSON.stringify(definition).length).toBeLessThan(1_000_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('properties of all branches are known, however deep the references are', () => {
    const { tools } = toolset({
      allOf: [{ $ref: '#/$defs/d0' }],
      anyOf: [{ $ref: '#/$defs/d0' }, { $ref: '#/$defs/d19' }],
      $defs: Object.fromEntries(
        times(20, (i) => [
          `d${i}`,
          { properties: { [`p${i}`]: {} }, required: [`p${i}`], allOf: [{ $ref: `#/$defs/d${i + 1}` }] },
        ]),
      ),
    });
    const names = times(20, (i) => `p${i}`);
    expect(openAiChatTools(tools)[0]?.function.parameters).toMatchObject({
      properties: Object.fromEntries(names.map((name) => [name, {}])),
      required: names,
    });
  });
});

describe('names and values with invisible characters', () => {
  const hidden = [
    'a\u200bb',
    'a\u202eb',
    'a\u{e0041}b',
    'a\ufe0fb',
    '\u009db',
    'a\u2028b',
    '\ud800',
    'a\u001b[8mb',
  ];
  const text = (schema: unknown): string => JSON.stringify(definitionsOf(toolset(schema)));

  it.each(hidden)('the model never sees %j', (dirty) => {
    const schema = {
      properties: {
        [dirty]: { type: 'string', enum: [dirty, 'plain'], default: dirty, title: dirty, description: dirty },
        nested: {
          type: 'object',
          properties: { [dirty]: { const: dirty } },
          required: [dirty],
          default: { [dirty]: [dirty] },
        },
        listed: { type: 'array', items: { enum: [dirty, { [dirty]: dirty }] }, examples: [dirty] },
        matched: { type: 'object', patternProperties: { [`^${dirty}`]: { pattern: `x${dirty}` } } },
        referring: { $ref: `#/$defs/${encodeURIComponent(dirty.replace(/\p{Cs}/gu, '\ufffd'))}` },
      },
      $defs: {
        [dirty.replace(/\p{Cs}/gu, '\ufffd')]: {
          type: 'string',
          'x-note': dirty,
          [`x-${dirty}`]: 1,
          format: dirty,
        },
      },
      required: [dirty],
      dependentRequired: { [dirty]: [dirty] },
    };
    for (const definition of definitionsOf(toolset(schema))) {
      const visit = (value: unknown): void => {
        if (typeof value === 'string') expect(value).not.toMatch(INVISIBLE);
        if (typeof value !== 'object' || value === null) return;
        for (const [key, member] of Object.entries(value)) {
          expect(key).not.toMatch(INVISIBLE);
          visit(member);
        }
      };
      visit(definition);
      expect(refusals(definition)).toEqual([]);
    }
    expect(text(schema)).toContain('plain');
  });

  it.each(hidden)('a call with the alias reaches the server as %j', async (dirty) => {
    const set = toolset({
      type: 'object',
      properties: {
        [dirty]: { type: 'string', enum: [dirty, 'plain'] },
        nested: {
          type: 'object',
          properties: { [dirty]: { const: dirty } },
          required: [dirty],
          additionalProperties: false,
        },
        listed: { type: 'array', items: { $ref: '#/$defs/item' } },
      },
      $defs: {
        item: {
          anyOf: [{ type: 'number' }, { properties: { [dirty]: { enum: [dirty] } }, required: [dirty] }],
        },
      },
      required: [dirty, 'nested'],
      additionalProperties: false,
    });
    const schema = set.tools[0]?.inputSchema;
    const shown = schema?.required?.[0] ?? '';
    const member = schema?.properties[shown];
    const value: unknown = isRecord(member) && Array.isArray(member['enum']) ? member['enum'][0] : undefined;
    expect(shown).toMatch(USABLE_NAME);
    const last = await set.run('mcp__s__t', {
      [shown]: value,
      nested: { [shown]: value },
      listed: [1, { [shown]: value }],
    });
    expect(last).toMatchObject({ type: 'result' });
    expect(set.calls).toEqual([
      { [dirty]: dirty, nested: { [dirty]: dirty }, listed: [1, { [dirty]: dirty }] },
    ]);
  });

  it("the server's own names still work, and members outside the schema are unchanged", async () => {
    const set = toolset({
      properties: {
        'a\u200bb': { type: 'string' },
        a_b: { type: 'number' },
        env: { type: 'object' },
        'filter[x]': {},
      },
    });
    const names = Object.keys(set.tools[0]?.inputSchema.properties ?? {});
    expect(new Set(names).size).toBe(4);
    const [first = ''] = names;
    const last = await set.run('mcp__s__t', {
      [first]: 'x',
      a_b: 5,
      env: { filter_x_: 1, [first]: 2 },
      filter_x_: [],
    });
    expect(last.type).toBe('result');
    expect(set.calls).toEqual([
      { 'a\u200bb': 'x', a_b: 5, env: { filter_x_: 1, [first]: 2 }, 'filter[x]': [] },
    ]);
    await set.run('mcp__s__t', { 'a\u200bb': 'own' });
    expect(set.calls[1]).toEqual({ 'a\u200bb': 'own' });
  });

  it('the question shows what is sent, not the alias', async () => {
    const host = fakeHost([tool('t', { inputSchema: { properties: { 'pa\u202eth': { type: 'string' } } } })]);
    let argsText = '';
    await using tools = createTools(host, {
      confirm: (request) => {
        ({ argsText } = request);
        return Promise.resolve('once');
      },
    });
    await tools.snapshot().run('mcp__s__t', { pa_th: 'x' });
    expect(argsText).toBe('{\n  "pa\\u{202e}th": "x"\n}');
    expect(host.calls[0]?.args).toEqual({ 'pa\u202eth': 'x' });
  });

  it('a hostile schema cannot stall the conversion of arguments', async () => {
    const branches = Object.fromEntries(
      Array.from({ length: 18 }, (_, i) => [
        `d${i}`,
        {
          anyOf: Array.from({ length: 18 }, (_each, j) => ({ $ref: `#/$defs/d${j}` })),
          properties: { 'x y': { $ref: `#/$defs/d${i}` } },
        },
      ]),
    );
    const set = toolset({
      properties: { list: { type: 'array', items: { $ref: '#/$defs/d0' } } },
      $defs: branches,
    });
    const last = await set.run('mcp__s__t', { list: Array.from({ length: 20_000 }, () => ({ x_y: {} })) });
    expect(last).toMatchObject({
      error: { code: 'ARGUMENTS_INVALID', message: expect.stringContaining('too large to be matched') },
    });
  });

  it.each<[string, object, string]>([
    ['a long value', { items: { examples: ['\u200b'.repeat(180_000)] } }, 'result'],
    [
      'many schemas',
      { allOf: Array.from({ length: 20 }, () => ({ allOf: Array.from({ length: 900 }, () => ({})) })) },
      'error',
    ],
  ])('nor %s for each element of a list', async (_, schema, type) => {
    const set = toolset({ properties: { 'a b': schema } });
    const started = performance.now();
    const last = await set.run('mcp__s__t', { a_b: Array.from({ length: 5_000 }, String) });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(last.type).toBe(type);
  });
});

describe('OpenAI strict mode is used only for schemas that the API accepts', () => {
  const enumOf = (count: number, length: number) =>
    Array.from({ length: count }, (_, i) => String(i).padStart(length, 'x'));
  const deep = (levels: number): unknown =>
    levels === 0 ? { type: 'string' } : closed({ a: deep(levels - 1) });

  it.each<[string, unknown]>([
    ['a property without type', closed({ a: {} })],
    ['a property with a description only', closed({ a: { description: 'Anything' } })],
    ['a boolean schema', closed({ a: true })],
    ['a property that is not required', closed({ a: { type: 'string' } }, { required: [] })],
    ['a length', closed({ a: { type: 'string', minLength: 1 } })],
    ['a list of open objects', closed({ a: { type: 'array', items: { type: 'object' } } })],
    ['an array without items', closed({ a: { type: 'array' } })],
    ['an array or null without items', closed({ a: { type: ['array', 'null'] } })],
    ['items without a type', closed({ a: { type: 'array', items: {} } })],
    ['required naming an unknown property', closed({ a: { type: 'string' } }, { required: ['a', 'b'] })],
    ['such a name inside', closed({ o: closed({ a: { type: 'string' } }, { required: ['a', 'b'] }) })],
    [
      '$ref with siblings',
      closed({ a: { $ref: '#/$defs/x', description: 'Why' } }, { $defs: { x: { type: 'string' } } }),
    ],
    ['$ref out of $defs', closed({ a: { type: 'string' }, b: { $ref: '#/properties/a' } })],
    ['$ref to nothing', closed({ a: { $ref: '#/$defs/x' } })],
    ['$ref to itself', closed({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { $ref: '#/$defs/x' } } })],
    ["type: ['object','null'] not closed", closed({ a: { type: ['object', 'null'], properties: {} } })],
    [
      "type: ['object','null'] without properties",
      closed({ a: { type: ['object', 'null'], additionalProperties: false } }),
    ],
    ['boolean exclusiveMinimum', closed({ a: { type: 'number', minimum: 0, exclusiveMinimum: true } })],
    ['required: true on a property', closed({ a: { type: 'string', required: true } })],
    ['lookahead', closed({ a: { type: 'string', pattern: '^(?=.*x)y' } })],
    ['lookbehind', closed({ a: { type: 'string', pattern: '(?<!a)b' } })],
    ['a back-reference', closed({ a: { type: 'string', pattern: '(a)\\1' } })],
    ['a word boundary', closed({ a: { type: 'string', pattern: '\\bx\\b' } })],
    [
      'an enum over 250 strings and 15 000 characters',
      closed({ a: { type: 'string', enum: enumOf(251, 60) } }),
    ],
    ['1 001 values', closed({ a: { type: 'string', enum: enumOf(1_001, 4) } })],
    ['enum: []', closed({ a: { type: 'string', enum: [] } })],
    ['an enum without type', closed({ a: { enum: ['x'] } })],
    ['an enum of another type', closed({ a: { type: 'string', enum: ['x', 1] } })],
    [
      'an enum of objects',
      closed({ a: { type: 'object', enum: [{}], properties: {}, additionalProperties: false } }),
    ],
    ['a const of another type', closed({ a: { type: 'integer', const: 1.5 } })],
    [
      'names over 120 000 characters',
      closed(Object.fromEntries(enumOf(2_100, 60).map((name) => [name, { type: 'null' }]))),
    ],
    ['11 levels', deep(11)],
    ['anyOf with siblings', closed({ a: { anyOf: [{ type: 'string' }], type: 'string' } })],
    ['oneOf', closed({ a: { oneOf: [{ type: 'string' }] } })],
    ['allOf', closed({ a: { allOf: [{ type: 'string' }] } })],
    ['an unknown type', closed({ a: { type: 'file' } })],
    ['a default', closed({ a: { type: 'string', default: 'x' } })],
    ['a name that APIs refuse', closed({ 'a b': { type: 'string' } })],
    ['minItems of a text', closed({ a: { type: 'string', minItems: 1 } })],
    ['a negative count', closed({ a: { type: 'array', items: { type: 'string' }, minItems: -1 } })],
    [
      'an open definition',
      closed({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'object', properties: {} } } }),
    ],
    ['tuple items', closed({ a: { type: 'array', items: [{ type: 'string' }] } })],
    [
      'patternProperties',
      closed({ a: { type: 'string' } }, { patternProperties: { '^x': { type: 'string' } } }),
    ],
    ['an open root', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
    ['anyOf at the root', closed({ a: { type: 'string' } }, { anyOf: [{ required: ['a'] }] })],
  ])('not with %s, and the reason is told', (_, schema) => {
    const told: { name: string; reason: string }[] = [];
    const options = {
      strictWherePossible: true,
      onNotStrict: (loss: { name: string; reason: string }) => void told.push(loss),
    };
    const { tools } = toolset(schema);
    expect(openAiResponsesTools(tools, options)[0]?.strict).toBe(false);
    expect(openAiChatTools(tools, options)[0]?.function.strict).toBe(false);
    expect(told).toHaveLength(2);
    expect(told[0]).toEqual({ name: 'mcp__s__t', reason: expect.stringMatching(/\w/) });
  });

  it.each<[string, unknown]>([
    [
      'scalars and null',
      closed({ a: { type: 'string', pattern: '^[a-z]+$' }, b: { type: ['number', 'null'], minimum: 0 } }),
    ],
    [
      'lists and values',
      closed({
        a: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1 },
        b: { type: 'string', const: 'b' },
      }),
    ],
    [
      'combinations inside',
      closed({ a: { anyOf: [{ type: 'string' }, closed({ b: { type: 'null' } })], description: 'Either' } }),
    ],
    [
      'definitions, recursive too',
      closed(
        { a: { $ref: '#/$defs/n' } },
        { $defs: { n: closed({ next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } }) } },
      ),
    ],
    ['250 long values', closed({ a: { type: 'string', enum: enumOf(250, 100) } })],
    ['1 000 values', closed({ a: { type: 'string', enum: enumOf(1_000, 4) } })],
    ['nothing', closed({})],
  ])('with %s', (_, schema) => {
    const told: unknown[] = [];
    const [definition] = openAiResponsesTools(toolset(schema).tools, {
      strictWherePossible: true,
      onNotStrict: (loss) => told.push(loss),
    });
    expect(told).toEqual([]);
    expect(definition?.strict).toBe(true);
  });
});
