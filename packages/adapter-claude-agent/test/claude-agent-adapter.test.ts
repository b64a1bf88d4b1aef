import { createHost, type ElicitationRequest } from '@mcp-fittings/host';
import { createToolPolicy, createTools, naming, type ToolEvent } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  createClaudeAgentAdapter,
  fromOnElicitation,
  toOnElicitation,
  type ClaudeAgentPermissionOptions,
  type ClaudeAgentPermissionResult,
  type ClaudeAgentServer,
} from '@mcp-fittings/adapter-claude-agent';

const TOOL_USE_ID = 'claudecode/toolUseId';

/** A host on an in-process server, under each of these names. */
async function connect(...names: string[]) {
  const ran: unknown[] = [];
  const servers: McpServer[] = [];
  let redescribe = (): void => undefined;
  const createServer = (): McpServer => {
    const server = new McpServer({ name: 's', version: '1.0.0' });
    servers.push(server);
    const [, asks] = ['free', 'asks', 'denied'].map((tool) =>
      server.registerTool(tool, { inputSchema: { a: z.string().optional() } }, (args) => {
        ran.push({ tool, ...args });
        return { content: [{ type: 'text', text: `${tool} ran` }], structuredContent: { hidden: true } };
      }),
    );
    redescribe = () => asks?.update({ description: 'Does something else.' });
    return server;
  };
  const host = createHost({
    name: 'tests',
    version: '1.0.0',
    transports: [inprocess({ servers: Object.fromEntries(names.map((name) => [name, createServer])) })],
  });
  await host.connect(Object.fromEntries(names.map((name) => [name, { type: 'inprocess' as const }])));
  const permissions = { allowedTools: ['free'], deniedTools: ['denied'] };
  const policy = createToolPolicy({ servers: Object.fromEntries(names.map((name) => [name, permissions])) });
  const tools = createTools(host, { policy });
  return {
    host,
    tools,
    policy,
    ran,
    servers,
    redescribe: () => redescribe(),
    async [Symbol.asyncDispose]() {
      await tools.close();
      await host.close();
    },
  };
}

/** Connects to an instance, as Claude Code does. */
async function clientOf(server: ClaudeAgentServer | undefined) {
  const client = new Client({ name: 'claude-code', version: '1.0.0' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server?.instance.connect(theirs);
  await client.connect(ours);
  return {
    client,
    call: (name: string, args: Record<string, unknown> = {}, id = 'toolu_1') =>
      client.callTool({ name, arguments: args, _meta: { [TOOL_USE_ID]: id } }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const options = (more: Partial<ClaudeAgentPermissionOptions> = {}): ClaudeAgentPermissionOptions => ({
  signal: new AbortController().signal,
  toolUseID: 'toolu_1',
  ...more,
});
const allow = async (): Promise<ClaudeAgentPermissionResult> => ({ behavior: 'allow' });

describe('servers', () => {
  it('list tools by the end of their names, which the SDK puts together again', async () => {
    await using world = await connect('files');
    const { files } = createClaudeAgentAdapter(world.host, world.tools, { alwaysLoad: true }).mcpServers();
    await using agent = await clientOf(files);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['asks', 'denied', 'free']);
    expect(tools[0]?._meta).toMatchObject({ 'anthropic/alwaysLoad': true });
    expect(files).toMatchObject({ type: 'sdk', name: 'files' });
  });

  it('have keys that the SDK does not change, and that differ', async () => {
    const long = 'io.github.someone/a-server-with-a-long-name';
    await using world = await connect('a.b', 'a_b', 'fittings', long);
    const servers = createClaudeAgentAdapter(world.host, world.tools).mcpServers();
    const keys = Object.keys(servers);
    expect(new Set(keys).size).toBe(4);
    for (const [key, { name }] of Object.entries(servers)) {
      expect(key).toMatch(/^[A-Za-z0-9_-]{1,21}$/);
      expect(name).toBe(key);
    }
    await using agent = await clientOf(servers[keys[3]!]);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['asks', 'denied', 'free']);
    expect(await agent.call('free')).toMatchObject({ isError: false });
  });

  it('offer tools of any naming under names that model APIs accept', async () => {
    await using world = await connect('files');
    await using tools = createTools(world.host, { naming: naming.bare, defaultPermission: 'allow' });
    const { files } = createClaudeAgentAdapter(world.host, tools).mcpServers();
    await using agent = await clientOf(files);
    const listed = await agent.client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['asks', 'denied', 'free']);
    expect(await agent.call('free', { a: 'x' })).toMatchObject({ isError: false });
    expect(world.ran).toEqual([{ tool: 'free', a: 'x' }]);
  });

  it('send the rendering of a result, which has the structured content as text', async () => {
    await using world = await connect('files');
    await using agent = await clientOf(
      createClaudeAgentAdapter(world.host, world.tools).mcpServers()['files'],
    );
    expect(await agent.call('free')).toEqual({
      isError: false,
      content: [{ type: 'text', text: expect.stringMatching(/^free ran[^]*"hidden": true/) }],
    });
  });

  it('announce a list that changed, until the adapter is disposed of', async () => {
    await using world = await connect('files');
    using adapter = createClaudeAgentAdapter(world.host, world.tools);
    await using agent = await clientOf(adapter.mcpServers()['files']);
    await agent.client.listTools();
    const announced = vi.fn();
    agent.client.fallbackNotificationHandler = async ({ method }) => announced(method);
    const add = async (name: string): Promise<void> => {
      const changed = new Promise<void>((resolve) => void world.host.on('toolsChanged', () => resolve()));
      world.servers[0]?.registerTool(name, {}, () => ({ content: [] }));
      await changed;
      await agent.client.ping();
    };
    await add('new');
    expect(announced).toHaveBeenCalledWith('notifications/tools/list_changed');
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('new');
    adapter[Symbol.dispose]();
    announced.mockClear();
    await add('newer');
    expect(announced).not.toHaveBeenCalled();
  });

  it('tell the SDK to ask about the tools that the policy asks about, if the program can ask', async () => {
    await using world = await connect('files');
    const { host, tools } = world;
    const asking = createClaudeAgentAdapter(host, tools, { canUseTool: allow }).mcpServers()['files'];
    expect(asking?.tools).toEqual([{ name: 'asks', permission_policy: 'always_ask' }]);
    expect(createClaudeAgentAdapter(host, tools).mcpServers()['files']?.tools).toBeUndefined();
  });
});

describe('canUseTool', () => {
  it('allows what the policy allows, and asks the program about the rest, with the reason', async () => {
    await using world = await connect('files');
    const ask = vi.fn(allow);
    const { canUseTool } = createClaudeAgentAdapter(world.host, world.tools, { canUseTool: ask });
    expect(await canUseTool('mcp__files__free', { a: 'x' }, options())).toEqual({
      behavior: 'allow',
      updatedInput: { a: 'x' },
    });
    expect(ask).not.toHaveBeenCalled();
    await canUseTool('mcp__files__asks', {}, options());
    expect(ask).toHaveBeenCalledWith(
      'mcp__files__asks',
      {},
      expect.objectContaining({
        decisionReason: expect.stringContaining('not on the list of allowed tools'),
      }),
    );
  });

  it('denies what the policy denies, and reports it', async () => {
    await using world = await connect('files');
    const events: ToolEvent[] = [];
    const { canUseTool } = createClaudeAgentAdapter(world.host, world.tools, {
      canUseTool: allow,
      onEvent: (event) => events.push(event),
    });
    expect(await canUseTool('mcp__files__denied', {}, options())).toMatchObject({ behavior: 'deny' });
    expect(events).toMatchObject([{ error: { code: 'POLICY_DENIED', delivery: 'not-sent' } }]);
  });

  it.each([
    ['Bash', {}],
    ['mcp__other__free', {}],
    ['mcp__files__free', { mcpServer: { name: 'files', source: 'project' } }],
  ])('does not decide about %s of another server', async (name, more) => {
    await using world = await connect('files');
    const ask = vi.fn(async (): Promise<ClaudeAgentPermissionResult> => ({
      behavior: 'deny',
      message: 'no',
    }));
    const { host, tools } = world;
    const { canUseTool } = createClaudeAgentAdapter(host, tools, { canUseTool: ask });
    expect(await canUseTool(name, {}, options(more))).toEqual({ behavior: 'deny', message: 'no' });
    const alone = createClaudeAgentAdapter(host, tools);
    expect(await alone.canUseTool(name, {}, options(more))).toMatchObject({ behavior: 'deny' });
  });
});

describe('an approval', () => {
  const approved = async (
    world: Awaited<ReturnType<typeof connect>>,
    updatedInput?: Record<string, unknown>,
  ) => {
    const adapter = createClaudeAgentAdapter(world.host, world.tools, {
      canUseTool: async (): Promise<ClaudeAgentPermissionResult> => ({
        behavior: 'allow',
        ...(updatedInput !== undefined && { updatedInput }),
      }),
    });
    const agent = await clientOf(adapter.mcpServers()['files']);
    await agent.client.listTools();
    await adapter.canUseTool('mcp__files__asks', { a: 'x' }, options());
    return agent;
  };

  it('holds for one call with these arguments', async () => {
    await using world = await connect('files');
    await using agent = await approved(world);
    expect(await agent.call('asks', { a: 'x' })).toMatchObject({ isError: false });
    expect(await agent.call('asks', { a: 'x' })).toMatchObject({ isError: true });
    expect(world.ran).toEqual([{ tool: 'asks', a: 'x' }]);
  });

  it('holds for the arguments that the user changed', async () => {
    await using world = await connect('files');
    await using agent = await approved(world, { a: 'y' });
    expect(await agent.call('asks', { a: 'y' })).toMatchObject({ isError: false });
  });

  it.each([
    ['other arguments', 'toolu_1', { a: 'other' }, /approved another call/],
    ['another call', 'toolu_2', { a: 'x' }, /requires confirmation/],
  ])('does not hold for %s', async (_, id, args, message) => {
    await using world = await connect('files');
    await using agent = await approved(world);
    const result = await agent.call('asks', args, id);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(message) }] });
    expect(world.ran).toEqual([]);
  });

  it('does not hold for a tool that changed, even if the SDK has not listed it again', async () => {
    await using world = await connect('files');
    await using agent = await approved(world);
    const changed = new Promise<void>((resolve) => void world.host.on('toolsChanged', () => resolve()));
    world.redescribe();
    await changed;
    expect(await agent.call('asks', { a: 'x' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('changed while the question was open') }],
    });
    expect(world.ran).toEqual([]);
  });
});

describe('elicitation', () => {
  const schema = { type: 'object', properties: { password: { type: 'string' } } };

  it('of a server of Claude Code asks as the host does, with the same warnings', async () => {
    const seen: ElicitationRequest[] = [];
    const onElicitation = toOnElicitation(async (request, { server }) => {
      seen.push(request);
      return { action: 'accept', content: { server, list: ['a'], nested: { no: true } } };
    });
    const { signal } = new AbortController();
    const request = { serverName: 'other', message: 'Sign in', requestedSchema: schema };
    expect(await onElicitation(request, { signal })).toEqual({
      action: 'accept',
      content: { server: 'other', list: ['a'] },
    });
    expect(seen).toMatchObject([{ mode: 'form', schema, warnings: [expect.stringContaining('password')] }]);
  });

  it('declines a page that a browser must not open', async () => {
    const elicit = vi.fn(async () => ({ action: 'accept' as const }));
    const { signal } = new AbortController();
    const ask = (url: string) =>
      toOnElicitation(elicit)({ serverName: 'other', message: 'Visit', mode: 'url', url }, { signal });
    expect(await ask('javascript:alert(1)')).toEqual({ action: 'decline' });
    expect(await ask('not a URL')).toEqual({ action: 'decline' });
    expect(elicit).not.toHaveBeenCalled();
    expect(await ask('https://example.com/')).toEqual({ action: 'accept' });
  });

  it('of a server of the host asks with the callback of the SDK', async () => {
    const { signal } = new AbortController();
    const onElicitation = vi.fn(async () => ({ action: 'accept' as const, content: { a: 1 } }));
    const elicit = fromOnElicitation(onElicitation);
    const request = { mode: 'form', message: 'Name?', schema, warnings: [] } as const;
    expect(await elicit(request, { server: 'files', signal, calls: [] })).toEqual({
      action: 'accept',
      content: { a: 1 },
    });
    expect(onElicitation).toHaveBeenCalledWith(
      { serverName: 'files', message: 'Name?', mode: 'form', requestedSchema: schema },
      { signal, requestId: expect.any(String) },
    );
    const silent = fromOnElicitation(async () => null);
    expect(await silent(request, { server: 'files', signal, calls: [] })).toEqual({ action: 'cancel' });
  });
});
