import { describe, expect, it } from 'vitest';
import { measure } from '../src/json-values.js';
import { testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { modern, RpcFailure, scripted } from './support/scripted.js';

const text = (value: string) => ({ type: 'text', text: value });
const tools = () => ({
  tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }],
});

describe.each([
  ['2025-11-25', scripted],
  ['2026-07-28', modern],
] as const)('results of revision %s', (_revision, serve) => {
  async function hostOn(answers: Parameters<typeof scripted>[0]) {
    const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
    const server = serve({ 'tools/list': tools, ...answers }, capabilities);
    const host = testHost([testServers(() => server).plugin]);
    await host.connect({ a: { type: 'test' } });
    return host;
  }

  it.each([
    ['the member of revision 2024-10-07', { toolResult: { sum: 3 } }, { content: [text('{"sum":3}')] }],
    ['its text', { toolResult: 'three' }, { content: [text('three')] }],
    [
      'only structured content',
      { structuredContent: { sum: 3 } },
      { content: [text('{"sum":3}')], structuredContent: { sum: 3 } },
    ],
    [
      'structured content and null',
      { content: null, structuredContent: [1], _meta: null, isError: null },
      { content: [text('[1]')], structuredContent: [1] },
    ],
    ['one block without a list', { content: text('x') }, { content: [text('x')] }],
    ['a text without a block', { content: 'x' }, { content: [text('x')] }],
    ['an error without content', { isError: true }, { content: [], isError: true }],
    ['an error marked in another way', { content: [], isError: 'true' }, { content: [], isError: true }],
    ['an empty list', { content: [] }, { content: [] }],
    [
      'blocks that are not known',
      { content: [text('a'), { type: 'video', data: 'AA' }, null, { type: 'image', data: 7 }, text('b')] },
      {
        content: [
          text('a'),
          { type: 'unknown', declaredType: 'video', value: { type: 'video', data: 'AA' } },
          { type: 'unknown', declaredType: undefined, value: null },
          { type: 'unknown', declaredType: 'image', value: { type: 'image', data: 7 } },
          text('b'),
        ],
      },
    ],
  ])('a call reads %s', async (_case, sent, expected) => {
    await using host = await hostOn({ 'tools/call': () => sent });
    expect(await host.callTool({ server: 'a', tool: 't' })).toEqual(expected);
  });

  it.each([{}, { content: null }, { structuredContent: null }, { _meta: {}, isError: null }])(
    '%j has no content',
    async (sent) => {
      await using host = await hostOn({ 'tools/call': () => sent });
      expect(await host.callTool({ server: 'a', tool: 't' })).toMatchObject({ content: [] });
    },
  );

  it('members that are no result of a tool are its text', async () => {
    await using host = await hostOn({ 'tools/call': () => ({ result: 'x', _meta: {} }) });
    const { content } = await host.callTool({ server: 'a', tool: 't' });
    expect(content).toEqual([text('{"result":"x"}')]);
  });

  it('an unrequested task without content is refused, not a success', async () => {
    await using host = await hostOn({ 'tools/call': () => ({ task: { taskId: 'x', status: 'working' } }) });
    await expect(host.callTool({ server: 'a', tool: 't' })).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
    });
  });

  it('a member of _meta that the protocol uses elsewhere changes nothing', async () => {
    const _meta = { progressToken: ['odd'], 'a/b': 1 };
    await using host = await hostOn({ 'tools/call': () => ({ content: [text('a')], _meta }) });
    const result = await host.callTool({ server: 'a', tool: 't' });
    expect(result).toEqual({ content: [text('a')], _meta });
  });

  it('an unrequested task keeps no progress listener', async () => {
    let progressToken: unknown;
    const capabilities = { tools: {} };
    const call = ({ _meta }: { _meta?: Record<string, unknown> | undefined }) => {
      progressToken ??= _meta?.['progressToken'];
      return { content: [text('a')], task: { taskId: 'x' } };
    };
    const server = serve({ 'tools/list': tools, 'tools/call': call }, capabilities);
    await using host = testHost([testServers(() => server).plugin]);
    await host.connect({ a: { type: 'test' } });
    const told: unknown[] = [];
    await host.callTool({ server: 'a', tool: 't' }, {}, { onProgress: (progress) => told.push(progress) });
    expect(progressToken).toBeDefined();
    await server.notify('notifications/progress', { progressToken, progress: 1 });
    await host.callTool({ server: 'a', tool: 't' });
    expect(told).toEqual([]);
  });

  it('values of a completion that are not strings are left out', async () => {
    let completion: unknown = { values: ['a', 7, null, 'b'], total: '9', hasMore: 1 };
    await using host = await hostOn({ 'completion/complete': () => ({ completion }) });
    const ref = { type: 'ref/prompt', name: 'p' } as const;
    const ask = () => host.complete({ server: 'a', ref, argument: { name: 'x', value: '' } });
    expect(await ask()).toEqual({ values: ['a', 'b'] });
    completion = { values: ['a'], total: 3, hasMore: true };
    expect(await ask()).toEqual({ values: ['a'], total: 3, hasMore: true });
    completion = { values: 'a' };
    await expect(ask()).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  });

  it('prompts and resources keep unknown members too', async () => {
    await using host = await hostOn({
      'prompts/get': () => ({
        description: null,
        messages: [
          { role: 'assistant', content: { type: 'hologram' } },
          { role: 'system', content: 'be kind' },
          { role: 'user', content: [text('a'), text('b')] },
        ],
      }),
      'resources/read': () => ({
        contents: [{ text: 'no uri', mimeType: null }, { uri: 'a:c', blob: 'AA' }, 7],
      }),
    });
    const { messages } = await host.getPrompt({ server: 'a', prompt: 'p' });
    expect(messages).toMatchObject([
      { role: 'assistant', content: { type: 'unknown', declaredType: 'hologram' } },
      { role: 'user', content: text('be kind') },
      { role: 'user', content: text('a') },
      { role: 'user', content: text('b') },
    ]);
    const { contents } = await host.readResource({ server: 'a', uri: 'a:b' });
    expect(contents).toMatchObject([
      { uri: 'a:b', text: 'no uri' },
      { uri: 'a:c', blob: 'AA' },
      { uri: 'a:b', text: '7' },
    ]);
  });

  it('the contents of a resource keep _meta if it is an object', async () => {
    const _meta = { ui: { csp: { connectDomains: ['https://a.example'] } } };
    await using host = await hostOn({
      'resources/read': () => ({
        contents: [
          { uri: 'ui://a', text: 'a', _meta },
          { uri: 'ui://b', text: 'b', _meta: 'none' },
        ],
      }),
    });
    const { contents } = await host.readResource({ server: 'a', uri: 'ui://a' });
    expect(contents.map((content) => content._meta)).toEqual([_meta, undefined]);
  });
});

describe('a refusal on 2026-07-28', () => {
  it.each([
    [
      'asks for an elicitation in its result',
      () => ({
        resultType: 'input_required',
        inputRequests: {
          who: {
            method: 'elicitation/create',
            params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
          },
        },
      }),
      'CAPABILITY_MISSING',
    ],
    [
      'refuses for want of a capability',
      () => {
        throw new RpcFailure(-32_021, 'needs sampling', { requiredCapabilities: { sampling: {} } });
      },
      'RPC_ERROR',
    ],
  ])('on 2026-07-28 a call of a server that %s was rejected, not "not sent"', async (_case, answer, code) => {
    const server = modern({ 'tools/list': tools, 'tools/call': answer });
    await using host = testHost([testServers(() => server).plugin]);
    await host.connect({ a: { type: 'test' } });
    await expect(host.callTool({ server: 'a', tool: 't' })).rejects.toMatchObject({
      code,
      delivery: 'rejected',
    });
    expect(server.asked).toContain('tools/call');
  });
});

describe('measuring', () => {
  const bounds = { maxNodes: 100, maxDepth: 10, maxBytes: 1000 };

  it('stops at the first bound, however much there is', () => {
    let looks = 0;
    let names = 0;
    const endless = new Proxy(
      Array.from({ length: 100_000 }, () => 0),
      {
        get(list, key, receiver) {
          if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
          return Reflect.get(list, key, receiver) as unknown;
        },
        ownKeys(list) {
          names++;
          return Reflect.ownKeys(list);
        },
      },
    );
    expect(measure({ endless }, bounds).problem).toBe('has more than 100 parts');
    expect(looks).toBeLessThan(101);
    expect(names).toBe(0);
  });

  it('counts depth, names, strings and nodes', () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level++) deep = { deep };
    expect(measure(deep, bounds).problem).toBe('is nested deeper than 10 levels');
    expect(measure({ text: 'x'.repeat(2000) }, bounds).problem).toBe('is larger than 1000 bytes');
    expect(measure({ ['x'.repeat(2000)]: 1 }, bounds).problem).toBe('is larger than 1000 bytes');
    expect(measure({ a: [1, 'two', null], b: true }, bounds)).toEqual({
      nodes: 6,
      bytes: expect.any(Number),
    });
  });
});
