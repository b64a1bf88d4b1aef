import type Anthropic from '@anthropic-ai/sdk';
import type { FunctionDeclaration, FunctionResponse } from '@google/genai';
import type OpenAI from 'openai';
import { generateText, stepCountIs, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { aiSdkTools } from '../../src/model-apis/ai-sdk.js';
import { anthropicToolResult, anthropicTools } from '../../src/model-apis/anthropic.js';
import { geminiFunctionResponse, geminiFunctions } from '../../src/model-apis/gemini.js';
import {
  openAiChatTools,
  openAiFunctionOutput,
  openAiResponsesTools,
  openAiToolMessage,
} from '../../src/model-apis/openai.js';
import type { ModelTool } from '../../src/model-tools/model-tool.js';
import { createTools } from '../../src/create-tools.js';
import { fakeHost, text, tool } from '../support/fake-host.js';
import { scriptedModel } from '../support/scripted-model.js';

const closed = {
  type: 'object',
  properties: { a: { type: 'string' }, b: { type: ['number', 'null'] } },
  required: ['a', 'b'],
  additionalProperties: false,
};
const combined = {
  type: 'object',
  properties: { kind: { type: 'string' } },
  required: ['kind'],
  anyOf: [
    { $ref: '#/$defs/byId' },
    { properties: { name: { type: 'string' }, kind: false }, required: ['name'] },
  ],
  allOf: [{ required: ['all'], properties: { all: {} } }],
  $defs: { byId: { properties: { id: { type: 'number' } }, required: ['id'] } },
};

function modelTools(...schemas: readonly object[]): readonly ModelTool[] {
  const host = fakeHost(
    schemas.map((inputSchema, index) =>
      tool(`t${index}`, { description: 'Does it', inputSchema: inputSchema as Record<string, unknown> }),
    ),
  );
  return createTools(host).snapshot().tools;
}

const forGemini = {
  ...combined,
  anyOf: [
    combined.anyOf[0],
    { properties: { name: { type: 'string' }, kind: { not: {} } }, required: ['name'] },
  ],
};
const flat = {
  type: 'object',
  properties: { kind: { type: 'string' }, id: { type: 'number' }, name: { type: 'string' }, all: {} },
  required: ['kind', 'all'],
  $defs: combined.$defs,
};

describe('definitions, assignable to the types of the official SDKs', () => {
  it('Anthropic: input_schema has no combinations at its root', () => {
    const tools: Anthropic.Tool[] = anthropicTools(modelTools(closed, combined));
    expect(tools).toEqual([
      { name: 'mcp__s__t0', description: 'Does it', input_schema: closed },
      { name: 'mcp__s__t1', description: 'Does it', input_schema: flat },
    ]);
  });

  it('OpenAI: both APIs, strict mode only if requested and possible', () => {
    const some = modelTools(closed, combined);
    const responses: OpenAI.Responses.FunctionTool[] = openAiResponsesTools(some);
    const chat: OpenAI.Chat.ChatCompletionTool[] = openAiChatTools(some, { strictWherePossible: true });
    expect(responses[0]).toEqual({
      type: 'function',
      name: 'mcp__s__t0',
      description: 'Does it',
      parameters: closed,
      strict: false,
    });
    expect(chat).toMatchObject([
      { type: 'function', function: { name: 'mcp__s__t0', strict: true, parameters: closed } },
      { type: 'function', function: { name: 'mcp__s__t1', strict: false, parameters: flat } },
    ]);
  });

  it('OpenAI: descriptions of at most 1024 characters', () => {
    const host = fakeHost([tool('t', { description: 'x'.repeat(5_000) })]);
    expect(openAiChatTools(createTools(host).snapshot().tools)[0]?.function.description).toHaveLength(1_024);
  });

  it('Gemini: the whole JSON Schema', () => {
    const functions: FunctionDeclaration[] = geminiFunctions(modelTools(combined));
    expect(functions).toEqual([
      { name: 'mcp__s__t0', description: 'Does it', parametersJsonSchema: forGemini },
    ]);
  });

  it('a schema without type and properties gets both at its root', () => {
    expect(anthropicTools(modelTools({}))[0]?.input_schema).toEqual({ type: 'object', properties: {} });
    expect(anthropicTools(modelTools({ properties: [] }))[0]?.input_schema).toEqual({
      type: 'object',
      properties: {},
    });
  });
});

describe('results, assignable to the types of the official SDKs', () => {
  const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const;
  const audio = { type: 'audio', data: 'T2dnUw==', mimeType: 'audio/ogg' } as const;
  const rendering = {
    parts: [{ type: 'text', text: 'Hi' } as const, image, audio],
    text: 'Hi',
    isError: false,
  };
  const failed = { parts: [{ type: 'text', text: 'No' } as const], text: 'No', isError: true };
  const told = '[audio/ogg, 4 bytes, not shown: this model API does not accept it]';

  it('Anthropic', () => {
    const block: Anthropic.ToolResultBlockParam = anthropicToolResult('id', rendering);
    expect(block).toEqual({
      type: 'tool_result',
      tool_use_id: 'id',
      is_error: false,
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } },
        { type: 'text', text: told },
      ],
    });
    expect(anthropicToolResult('id', failed).is_error).toBe(true);
  });

  it('Anthropic: a failed call is text only, because the API rejects images in it', () => {
    expect(anthropicToolResult('id', { ...rendering, isError: true })).toEqual({
      type: 'tool_result',
      tool_use_id: 'id',
      is_error: true,
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: '[image/png, 8 bytes, not shown: this model API does not accept it]' },
        { type: 'text', text: told },
      ],
    });
  });

  it('OpenAI Responses', () => {
    const item: OpenAI.Responses.ResponseInputItem.FunctionCallOutput = openAiFunctionOutput('id', rendering);
    expect(item).toEqual({
      type: 'function_call_output',
      call_id: 'id',
      output: [
        { type: 'input_text', text: 'Hi' },
        { type: 'input_image', image_url: `data:image/png;base64,${image.data}`, detail: 'auto' },
        { type: 'input_text', text: told },
      ],
    });
    expect(openAiFunctionOutput('id', failed).output).toEqual([
      { type: 'input_text', text: 'The call failed:' },
      { type: 'input_text', text: 'No' },
    ]);
  });

  it('OpenAI Chat Completions: text only', () => {
    const message: OpenAI.Chat.ChatCompletionToolMessageParam = openAiToolMessage('id', rendering);
    expect(message).toEqual({
      role: 'tool',
      tool_call_id: 'id',
      content: `Hi\n[image/png, 8 bytes, not shown: this model API does not accept it]\n${told}`,
    });
    expect(openAiToolMessage('id', failed).content).toBe('The call failed: No');
  });

  it('Gemini', () => {
    const response: FunctionResponse = geminiFunctionResponse({ name: 'f', id: '1' }, rendering);
    expect(response).toEqual({
      id: '1',
      name: 'f',
      response: { output: `Hi\n${told}` },
      parts: [{ inlineData: { mimeType: 'image/png', data: image.data } }],
    });
    expect(geminiFunctionResponse({ name: 'f' }, failed)).toEqual({
      name: 'f',
      response: { error: 'No' },
      parts: [],
    });
  });

  it('Gemini: no images for older models, and none of an unsupported type', () => {
    const gif = { type: 'image', data: 'R0lGODlh', mimeType: 'image/gif' } as const;
    const toldGif = '[image/gif, 6 bytes, not shown: this model API does not accept it]';
    expect(geminiFunctionResponse({ name: 'f' }, { ...rendering, parts: [gif] })).toEqual({
      name: 'f',
      response: { output: toldGif },
      parts: [],
    });
    expect(
      geminiFunctionResponse({ name: 'f' }, { ...rendering, parts: [image] }, { images: false }),
    ).toEqual({
      name: 'f',
      response: { output: '[image/png, 8 bytes, not shown: this model API does not accept it]' },
      parts: [],
    });
  });
});

it('a result without content says so, because APIs reject empty content', () => {
  const empty = { parts: [], text: '', isError: false };
  const said = '[The tool returned no content.]';
  expect(anthropicToolResult('id', empty).content).toEqual([{ type: 'text', text: said }]);
  expect(openAiFunctionOutput('id', empty).output).toEqual([{ type: 'input_text', text: said }]);
  expect(openAiToolMessage('id', empty).content).toBe(said);
});

describe('the AI SDK itself', () => {
  it('accepts the tools, sends their schemas unchanged, runs the call and returns its result', async () => {
    const map = {
      type: 'object',
      properties: { env: { type: 'object', additionalProperties: { type: 'string' } } },
    };
    const host = fakeHost([tool('run', { description: 'Runs', inputSchema: map })], (args) =>
      Promise.resolve(text(`ran ${JSON.stringify(args)}`)),
    );
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const model = scriptedModel(['mcp__s__run', { env: { A: 'x' } }]);
    const offered: ToolSet = aiSdkTools(tools.snapshot());
    const { text: said } = await generateText({
      model,
      tools: offered,
      prompt: 'go',
      stopWhen: stepCountIs(3),
    });

    expect(said).toBe('done');
    expect(host.calls).toEqual([{ ref: { server: 's', tool: 'run' }, args: { env: { A: 'x' } } }]);
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      { name: 'mcp__s__run', description: 'Runs', inputSchema: map },
    ]);
    expect(model.doGenerateCalls[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ output: { type: 'content', value: [{ type: 'text', text: 'ran {"env":{"A":"x"}}' }] } }],
    });
  });

  it('a failed call is an output for the model', async () => {
    const host = fakeHost([tool('run', { inputSchema: { type: 'object', required: ['a'] } })]);
    await using tools = createTools(host, { defaultPermission: 'allow' });
    const model = scriptedModel(['mcp__s__run', {}]);
    await generateText({
      model,
      tools: aiSdkTools(tools.snapshot()),
      prompt: 'go',
      stopWhen: stepCountIs(3),
    });
    expect(model.doGenerateCalls[1]?.prompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'error-text', value: expect.stringContaining('invalid: a:') } }],
    });
  });
});

it.each([6, 7] as const)('the AI SDK %i takes a failed call as text, which names its pictures', (version) => {
  const toolset = createTools(fakeHost([tool('t')])).snapshot();
  const offered = version === 7 ? aiSdkTools(toolset, { version }) : aiSdkTools(toolset);
  const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const;
  expect(
    offered['mcp__s__t']?.toModelOutput({ output: { parts: [image], text: '', isError: true } }),
  ).toEqual({
    type: 'error-text',
    value: '[image/png, 8 bytes, not shown: this model API does not accept it]',
  });
});

it('the AI SDK 7 takes an image as a file', () => {
  const host = fakeHost([tool('t')]);
  const toolset = createTools(host).snapshot();
  const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const;
  const output = { parts: [{ type: 'text', text: 'Hi' } as const, image], text: 'Hi', isError: false };
  expect(aiSdkTools(toolset, { version: 7 })['mcp__s__t']?.toModelOutput({ output })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'Hi' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: image.data } },
    ],
  });
  expect(aiSdkTools(toolset)['mcp__s__t']?.toModelOutput({ output })).toMatchObject({
    value: [{ type: 'text' }, { type: 'image-data', data: image.data, mediaType: 'image/png' }],
  });
});
