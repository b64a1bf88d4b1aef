import { describe, expect, it } from 'vitest';
import { createTools } from '../../src/create-tools.js';
import type { ModelTool } from '../../src/model-tools/model-tool.js';
import { anthropicTools } from '../../src/model-apis/anthropic.js';
import { aiSdkTools } from '../../src/model-apis/ai-sdk.js';
import type { DefinitionOptions } from '../../src/model-apis/flatten-root.js';
import { geminiFunctions } from '../../src/model-apis/gemini.js';
import { openAiChatTools, openAiResponsesTools } from '../../src/model-apis/openai.js';
import { fakeHost, tool } from '../support/fake-host.js';

function snapshotOf(inputSchema: Record<string, unknown>) {
  return createTools(fakeHost([tool('t', { inputSchema })])).snapshot();
}

function modelTool(inputSchema: Record<string, unknown>): ModelTool {
  return snapshotOf(inputSchema).tools[0] ?? expect.unreachable();
}

describe('repairs name what means something else for the model', () => {
  it.each([
    ['http://json-schema.org/draft-07/schema#', 'prefixItems', { a: { prefixItems: [{}], items: {} } }],
    [
      'http://json-schema.org/draft-07/schema#',
      'dependentRequired',
      { a: { dependentRequired: { b: ['c'] } } },
    ],
    [
      'http://json-schema.org/draft-06/schema#',
      'if',
      { a: { if: { minLength: 1 }, then: { pattern: 'a' } } },
    ],
    ['http://json-schema.org/draft-04/schema#', 'const', { a: { const: 1 } }],
    ['https://json-schema.org/draft/2020-12/schema', '$dynamicRef', { a: { $dynamicRef: '#x' } }],
    ['https://json-schema.org/draft/2019-09/schema', '$recursiveRef', { a: { $recursiveRef: '#' } }],
  ])('%s: %s', ($schema, keyword, properties) => {
    const { repairs } = modelTool({ $schema, type: 'object', properties });
    expect(repairs).toContainEqual(expect.objectContaining({ keyword, pointer: '/properties/a' }));
  });

  it.each(['#/$defs/missing', 'https://example.com/x.json', '#/$defs/never', '#'])(
    'a reference at the root to %s',
    ($ref) => {
      const { repairs } = modelTool({ $ref, properties: { a: {} }, $defs: { never: false } });
      expect(repairs).toContainEqual(expect.objectContaining({ keyword: '$ref', pointer: '' }));
    },
  );

  it('and nothing in a draft that has the keyword', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const properties = { a: { const: 1, dependentRequired: { b: ['c'] }, if: {}, minContains: 1 } };
    expect(modelTool({ $schema, properties }).repairs).toEqual([]);
  });

  it('a property that is not allowed stays forbidden where others are allowed', () => {
    const branches = [
      { properties: { a: false } },
      { required: ['a'], properties: { b: false }, additionalProperties: false },
    ];
    expect(modelTool({ properties: { x: { oneOf: branches } } }).inputSchema.properties).toEqual({
      x: {
        oneOf: [
          { properties: { a: { not: {} } } },
          { required: ['a'], properties: {}, additionalProperties: false },
        ],
      },
    });
  });

  it('a tuple with its own maximum keeps the smaller one', () => {
    const a = { type: 'array', prefixItems: [{ type: 'string' }, {}], items: false, maxItems: 9 };
    expect(modelTool({ properties: { a } }).inputSchema.properties['a']).toMatchObject({ maxItems: 2 });
  });

  it('a name that is required and not described has an alias too', () => {
    const found = modelTool({ properties: { a: {} }, required: ['a', 'filter[x]'] });
    expect(found.inputSchema.required).toEqual(['a', 'filter_x_']);
    expect(found.repairs).toEqual([{ keyword: 'required', pointer: '', reason: 'model APIs reject a name' }]);
    expect(found.originalArguments({ a: 1, filter_x_: 2 })).toEqual({ a: 1, 'filter[x]': 2 });
  });
});

describe('onDifference names what one API alone rejects', () => {
  const union = {
    type: 'object',
    properties: { kind: { type: 'string' } },
    oneOf: [
      { properties: { action: { const: 'click' }, at: { type: 'number' } }, required: ['action'] },
      {
        properties: { action: { const: 'type' }, at: false, text: { type: 'string' } },
        required: ['action'],
      },
    ],
    allOf: [{ properties: { text: { maxLength: 5 } }, required: ['kind'] }],
  };
  type DefinitionDifference = Parameters<NonNullable<DefinitionOptions['onDifference']>>[0];
  const told = (convert: (onDifference: (difference: DefinitionDifference) => void) => unknown) => {
    const list: DefinitionDifference[] = [];
    convert((difference) => list.push(difference));
    return list.map(({ name, keyword, pointer }) => [name, keyword, pointer]);
  };
  const atRoot = [
    ['mcp__s__t', 'oneOf', ''],
    ['mcp__s__t', 'allOf', ''],
  ];

  it('Anthropic, OpenAI and the AI SDK: combinations at the root', () => {
    const offered = snapshotOf(union);
    const { tools } = offered;
    expect(told((onDifference) => anthropicTools(tools, { onDifference }))).toEqual(atRoot);
    expect(told((onDifference) => openAiChatTools(tools, { onDifference }))).toEqual(atRoot);
    expect(told((onDifference) => openAiResponsesTools(tools, { onDifference }))).toEqual(atRoot);
    expect(told((onDifference) => aiSdkTools(offered, { onDifference }))).toEqual(atRoot);
    expect(told((onDifference) => aiSdkTools(offered, { version: 7, onDifference }))).toEqual(atRoot);
    expect(told((onDifference) => geminiFunctions(tools, { onDifference }))).toEqual([]);
  });

  it('every form that a property has in one branch or another stays possible', () => {
    expect(anthropicTools([modelTool(union)])[0]?.input_schema).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string' },
        text: { maxLength: 5 },
        action: { anyOf: [{ const: 'click' }, { const: 'type' }] },
        at: { type: 'number' },
      },
      required: ['kind'],
    });
  });

  it('Gemini: required names that the schema describes in another way', () => {
    const a = { type: 'object', patternProperties: { '^x': { type: 'string' } }, required: ['x1'] };
    const b = { anyOf: [{ required: ['y'] }], unevaluatedProperties: false };
    const tools = [modelTool({ properties: { a, b } })];
    expect(told((onDifference) => geminiFunctions(tools, { onDifference }))).toEqual([
      ['mcp__s__t', 'required', '/properties/a'],
      ['mcp__s__t', 'required', '/properties/b/anyOf/0'],
    ]);
    expect(told((onDifference) => anthropicTools(tools, { onDifference }))).toEqual([]);
  });
});
