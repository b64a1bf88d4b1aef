import { runInNewContext } from 'node:vm';
import { FittingsError } from '@mcp-fittings/client-core';
import { createHost, type CallOptions, type Host, type ToolResult } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bindTools, createToolDispatcher, toTypeScript } from '../../src/code-mode.js';
import { createTools, type ToolsOptions } from '../../src/create-tools.js';
import { createSpill, memorySpillStore } from '../../src/spill.js';
import { naming } from '../../src/names/tool-names.js';
import { createToolPolicy } from '../../src/permissions/tool-policy.js';
import { binaryOf } from '../support/installed-program.js';
import { fakeHost, text, tool, type FakeHost } from '../support/fake-host.js';

type Answer = (args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<ToolResult>;

const numbers = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const CATALOG = [tool('add', { inputSchema: numbers }), tool('find', { outputSchema: numbers })];

function dispatcherOf(options: ToolsOptions, answer?: Answer, catalog = CATALOG) {
  const host = fakeHost(catalog, answer);
  return { host, dispatcher: createToolDispatcher(createTools(host, options).snapshot()) };
}

const sent = ({ calls }: FakeHost): readonly string[] => calls.map(({ ref }) => ref.tool);

describe('a dispatcher', () => {
  it('calls the tool of a server by their own names, and returns the whole result', async () => {
    const { host, dispatcher } = dispatcherOf({ defaultPermission: 'allow' });
    await expect(dispatcher.call('s', 'add', { a: 1 })).resolves.toEqual(text('done'));
    expect(host.calls).toEqual([{ ref: { server: 's', tool: 'add' }, args: { a: 1 } }]);
  });

  it('returns the structured content of a tool with an output schema', async () => {
    const answer = async (): Promise<ToolResult> => ({ content: [], structuredContent: { a: 1 } });
    const { dispatcher } = dispatcherOf({ defaultPermission: 'allow' }, answer);
    await expect(dispatcher.call('s', 'find')).resolves.toEqual({ a: 1 });
  });

  it('calls tools that the model has to search for, and those of servers only', async () => {
    const host = fakeHost(CATALOG, async () => ({ content: [], structuredContent: { a: 1 } }));
    const spill = createSpill({ store: memorySpillStore() });
    const toolset = createTools(host, { defer: 'always', spill, defaultPermission: 'allow' }).snapshot();
    expect(toolset.tools.map(({ name }) => name)).toEqual(['read_result', 'tool_search']);
    await expect(createToolDispatcher(toolset).call('s', 'find')).resolves.toEqual({ a: 1 });
    const { servers } = toTypeScript(toolset);
    expect(servers.map(({ server, functions }) => [server, functions.map(({ tool: name }) => name)])).toEqual(
      [['s', ['add', 'find']]],
    );
  });

  it('rejects if the structured content is missing: the call has been made', async () => {
    const { dispatcher } = dispatcherOf({ defaultPermission: 'allow' });
    await expect(dispatcher.call('s', 'find')).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
    });
  });

  it('sends nothing that the policy denies, the user declines or the schema does not allow', async () => {
    const policy = createToolPolicy({ servers: { s: { deniedTools: ['find'] } } });
    const confirm = vi.fn(async () => 'cancel' as const);
    const { host, dispatcher } = dispatcherOf({ policy, confirm });
    await expect(dispatcher.call('s', 'find')).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      delivery: 'not-sent',
    });
    await expect(dispatcher.call('s', 'add', { a: 1 })).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    await expect(dispatcher.call('s', 'add', { a: 'x' })).rejects.toMatchObject({
      code: 'ARGUMENTS_INVALID',
      delivery: 'not-sent',
    });
    expect(confirm).toHaveBeenCalledOnce();
    expect(sent(host)).toEqual([]);
  });

  it('asks as for a call of the model, and sends what the user saw', async () => {
    const confirm = vi.fn(async () => 'once' as const);
    const { host, dispatcher } = dispatcherOf({ confirm });
    await dispatcher.call('s', 'add', { a: 1 });
    expect(confirm).toHaveBeenCalledWith(expect.objectContaining({ args: { a: 1 } }));
    expect(sent(host)).toEqual(['add']);
  });

  it('does not take the name of a tool for that of another server', async () => {
    const catalog = [tool('search', { server: 'r' }), tool('other')];
    const { host, dispatcher } = dispatcherOf(
      { defaultPermission: 'allow', naming: naming.bare },
      undefined,
      catalog,
    );
    await expect(dispatcher.call('s', 'search')).rejects.toMatchObject({
      code: 'TOOL_UNKNOWN',
      delivery: 'not-sent',
    });
    await expect(dispatcher.call('', 'search')).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    await expect(dispatcher.call('r', 'serch')).rejects.toMatchObject({ hint: 'Did you mean "search"?' });
    expect(sent(host)).toEqual([]);
  });

  it('takes the names of the server, and not those that a model is shown', async () => {
    // A model is shown `a_b`, because model APIs do not accept a space.
    const catalog = [
      tool('add', { inputSchema: { type: 'object', properties: { 'a b': { type: 'string' } } } }),
    ];
    const { host, dispatcher } = dispatcherOf({ defaultPermission: 'allow' }, undefined, catalog);
    await dispatcher.call('s', 'add', { 'a b': 'x' });
    await dispatcher.call('s', 'add', { a_b: 5 });
    expect(host.calls.map(({ args }) => args)).toEqual([{ 'a b': 'x' }, { a_b: 5 }]);
  });

  it('says why a tool is not offered', async () => {
    const policy = createToolPolicy({ servers: { s: { deniedTools: ['find'] } } });
    const { dispatcher } = dispatcherOf({ policy, skipDenied: true });
    await expect(dispatcher.call('s', 'find')).rejects.toMatchObject({ code: 'POLICY_DENIED' });
  });

  it('rejects with the words of a tool that fails', async () => {
    const answer = async (): Promise<ToolResult> => ({ ...text('no such \u001b[31missue'), isError: true });
    const { dispatcher } = dispatcherOf({ defaultPermission: 'allow' }, answer);
    const error = await dispatcher.call('s', 'add', { a: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FittingsError);
    expect(error).toMatchObject({
      code: 'TOOL_FAILED',
      delivery: 'unknown',
      message: 'The tool "add" failed: no such issue',
    });
  });

  it('aborts a call with its own signal, and all calls with that of the dispatcher', async () => {
    for (const which of ['call', 'dispatcher'] as const) {
      const aborters = { call: new AbortController(), dispatcher: new AbortController() };
      const seen: AbortSignal[] = [];
      const host = fakeHost(CATALOG, async (_, { signal }) => {
        if (signal !== undefined) seen.push(signal);
        aborters[which].abort();
        signal?.throwIfAborted();
        return text('late');
      });
      const dispatcher = createToolDispatcher(createTools(host, { defaultPermission: 'allow' }), {
        signal: aborters.dispatcher.signal,
      });
      const calling = dispatcher.call('s', 'add', { a: 1 }, { signal: aborters.call.signal });
      await expect(calling).rejects.toMatchObject({ code: 'ABORTED' });
      expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
    }
  });

  it.each([
    [2, { maxPending: 2 }],
    [100, {}],
  ])('bounds the calls under way to %i with the options %j', async (most, options) => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const host = fakeHost(CATALOG, () => answered.then(() => text('done')));
    const tools = createTools(host, { defaultPermission: 'allow' }).snapshot();
    const dispatcher = createToolDispatcher(tools, options);
    const calls = Array.from({ length: most }, (_, a) => dispatcher.call('s', 'add', { a }));
    const refused = expect(dispatcher.call('s', 'add', { a: 3 })).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      retryable: true,
      delivery: 'not-sent',
    });
    answer();
    await refused;
    await Promise.all(calls);
    await expect(dispatcher.call('s', 'add', { a: 4 })).resolves.toEqual(text('done'));
  });

  it('answers every request with plain data', async () => {
    const { dispatcher } = dispatcherOf({ defaultPermission: 'allow' });
    await expect(dispatcher.respond({ server: 's', tool: 'add', args: { a: 1 } })).resolves.toEqual({
      result: text('done'),
    });
    for (const request of [undefined, null, 5, [], {}, { server: 's' }, { server: 5, tool: 'add' }]) {
      const reply = await dispatcher.respond(request);
      expect(reply).toMatchObject({ error: { code: 'ARGUMENTS_INVALID', delivery: 'not-sent' } });
      expect(structuredClone(reply)).toEqual(reply);
    }
    await expect(dispatcher.respond({ server: 's', tool: 'add' })).resolves.toMatchObject({
      error: { code: 'ARGUMENTS_INVALID', server: 's', delivery: 'not-sent', hint: expect.any(String) },
    });
  });

  it('tells a log of every outcome, whatever the log throws', async () => {
    const host = fakeHost(CATALOG);
    const tools = createTools(host, { defaultPermission: 'allow' }).snapshot();
    const onOutcome = vi.fn(() => {
      throw new Error('The disk is full.');
    });
    const dispatcher = createToolDispatcher(tools, { onOutcome });
    await expect(dispatcher.call('s', 'add', { a: 1 })).resolves.toEqual(text('done'));
    await expect(dispatcher.call('s', 'add')).rejects.toMatchObject({ code: 'ARGUMENTS_INVALID' });
    expect(onOutcome.mock.calls).toMatchObject([
      [{ server: 's', tool: 'add' }, { type: 'result' }],
      [{ server: 's', tool: 'add' }, { type: 'error' }],
    ]);
  });

  it('of tools and not of a toolset calls those that the host has then', async () => {
    const host = fakeHost([]);
    const dispatcher = createToolDispatcher(createTools(host, { defaultPermission: 'allow' }));
    await expect(dispatcher.call('s', 'add')).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    host.catalog = CATALOG;
    await expect(dispatcher.call('s', 'add', { a: 1 })).resolves.toEqual(text('done'));
  });
});

describe('with a real server', () => {
  let host: Host;
  beforeAll(async () => {
    host = createHost({ name: 'tools-test', version: '1.0.0', transports: [stdio()] });
    const program = binaryOf('@modelcontextprotocol/server-everything');
    await host.connect({ everything: { command: process.execPath, args: [program] } });
  });
  afterAll(() => host.close());

  interface Everything {
    getSum(args: { a: number; b: number }): Promise<ToolResult>;
    getStructuredContent(args: { location: string }): Promise<{ temperature: number }>;
  }
  const bound = {
    getSum: { tool: 'get-sum' },
    getStructuredContent: { tool: 'get-structured-content', structured: true },
  };

  it('the functions of a client call a host, or a dispatcher', async () => {
    await using tools = createTools(host, { defaultPermission: 'allow' });
    for (const caller of [host, createToolDispatcher(tools)]) {
      const client = bindTools<Everything>(caller, 'everything', bound);
      await expect(client.getSum({ a: 2, b: 3 })).resolves.toMatchObject({
        content: [{ type: 'text', text: 'The sum of 2 and 3 is 5.' }],
      });
      await expect(client.getStructuredContent({ location: 'Chicago' })).resolves.toMatchObject({
        temperature: expect.any(Number),
      });
    }
  });

  it('a tool that fails rejects, with a host too', async () => {
    const client = bindTools<Everything>(host, 'everything', bound);
    // @ts-expect-error -- a number is required
    const failing = client.getSum({ a: 'two', b: 3 });
    await expect(failing).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:TOOL_FAILED|ARGUMENTS_INVALID)$/),
    });
  });

  it('the script calls tools from a sandbox that has nothing but `callTool`', async () => {
    await using tools = createTools(host, {
      policy: createToolPolicy({ servers: { everything: { allowedTools: ['get-*'] } } }),
    });
    const turn = tools.snapshot();
    const { script } = toTypeScript(turn);
    const dispatcher = createToolDispatcher(turn);
    const callTool = (request: unknown): Promise<unknown> =>
      dispatcher.respond(request).then((reply) => structuredClone(reply));
    const run = (code: string): Promise<unknown> =>
      Promise.resolve(runInNewContext(`${script}\n(async () => { ${code} })()`, { callTool }));
    await expect(
      run('return everything.getStructuredContent({ location: "Chicago" })'),
    ).resolves.toMatchObject({
      temperature: expect.any(Number),
    });
    await expect(run('return everything.echo({ message: "hi" })')).rejects.toMatchObject({
      name: 'FittingsError',
      code: 'APPROVAL_REQUIRED',
      delivery: 'not-sent',
    });
    await expect(run('return (await everything) === everything')).resolves.toBe(true);
  });
});
