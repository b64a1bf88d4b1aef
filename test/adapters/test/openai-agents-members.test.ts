import {
  createOpenAiAgentsAdapter,
  openAiAgentsNameLimits,
  type OpenAiAgentsServer,
} from '@mcp-fittings/adapter-openai-agents';
import { createTools } from '@mcp-fittings/tools';
import * as newest from '@openai/agents';
import * as oldest from 'openai-agents-oldest';
import { describe, expect, it, vi } from 'vitest';
import { createWorld, type World } from '../suite/world.js';

const versions = [
  {
    version: 'newest',
    invalidateServerToolsCache: newest.invalidateServerToolsCache,
    toolNames: async (servers: readonly OpenAiAgentsServer[]): Promise<readonly string[]> => {
      const agent = new newest.Agent({ name: 'Agent', mcpServers: [...servers] });
      return (await agent.getAllTools(new newest.RunContext())).map(({ name }) => name);
    },
  },
  {
    version: 'oldest',
    invalidateServerToolsCache: oldest.invalidateServerToolsCache,
    toolNames: async (servers: readonly OpenAiAgentsServer[]): Promise<readonly string[]> => {
      const agent = new oldest.Agent({ name: 'Agent', mcpServers: [...servers] });
      return (await agent.getAllTools(new oldest.RunContext())).map(({ name }) => name);
    },
  },
];

/** Two real servers, without an agent. */
const connect = (): Promise<World> =>
  createWorld({
    framework: 'none',
    differs: { unknownTool: 'the run fails' },
    open: async () => ({
      run: () => Promise.reject(new Error('There is no agent.')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  });
const toolsOf = ({ host }: World) =>
  createTools(host, { defaultPermission: 'allow', nameLimits: openAiAgentsNameLimits });

describe.each(versions)('members of MCPServer, $version', ({ invalidateServerToolsCache, toolNames }) => {
  it('static and callable tool filters see the names of the model', async () => {
    await using world = await connect();
    await using tools = toolsOf(world);
    const filters = {
      one: { allowedToolNames: ['mcp__one__echo', 'mcp__one__add'], blockedToolNames: ['mcp__one__add'] },
      two: async (_: unknown, tool: { name: string }) => tool.name.endsWith('who'),
    };
    const adapter = createOpenAiAgentsAdapter(world.host, tools, {
      members: (server) => ({ toolFilter: server === 'one' ? filters.one : filters.two }),
    });
    expect(await toolNames(adapter.mcpServers())).toEqual(['mcp__one__echo', 'mcp__two__who']);
  });

  it('the list that the SDK keeps is dropped when it changes', async () => {
    await using world = await connect();
    await using tools = toolsOf(world);
    using adapter = createOpenAiAgentsAdapter(world.host, tools, { invalidateServerToolsCache });
    const servers = adapter.mcpServers();
    const [one] = servers;
    expect(one?.cacheToolsList).toBe(true);
    const list = vi.spyOn(one!, 'listTools');
    await invalidateServerToolsCache('one');
    expect(await toolNames(servers)).not.toContain('mcp__one__grown');
    await toolNames(servers);
    expect(list).toHaveBeenCalledOnce();
    await world.host.callTool({ server: 'one', tool: 'grow' });
    await vi.waitFor(async () => expect(await toolNames(servers)).toContain('mcp__one__grown'), {
      timeout: 20_000,
    });
  });

  it('invalidateToolsCache() drops it, too', async () => {
    await using world = await connect();
    await using tools = toolsOf(world);
    using adapter = createOpenAiAgentsAdapter(world.host, tools, { invalidateServerToolsCache });
    const [one] = adapter.mcpServers();
    const list = vi.spyOn(one!, 'listTools');
    await one!.invalidateToolsCache();
    await toolNames([one!]);
    await one!.invalidateToolsCache();
    await toolNames([one!]);
    expect(list).toHaveBeenCalledTimes(2);
  });
});

describe('a server of the adapter', () => {
  it('passes the meta of a call to the server', async () => {
    await using world = await connect();
    await using tools = toolsOf(world);
    const [one] = createOpenAiAgentsAdapter(world.host, tools).mcpServers();
    await one!.callTool('mcp__one__now', null, { 'example.com/tenant': 'acme' });
    expect(await world.log()).toEqual([{ called: 'now', tenant: 'acme' }]);
  });

  it('close() aborts its calls and leaves the host; connect() makes it usable again', async () => {
    await using world = await connect();
    await using tools = toolsOf(world);
    const [one, two] = createOpenAiAgentsAdapter(world.host, tools).mcpServers();
    const hanging = one!.callToolResult('mcp__one__hang', {});
    await vi.waitFor(async () => expect(await world.log()).toContainEqual({ called: 'hang' }), {
      timeout: 20_000,
    });
    await one!.close();
    expect(await hanging).toMatchObject({
      isError: true,
      _meta: { 'mcp-fittings/error': { code: 'ABORTED' } },
    });
    expect(await two!.callToolResult('mcp__two__who', {})).toMatchObject({ isError: false });
    expect(world.host.server('one').state.status).toBe('connected');
    expect(await one!.callToolResult('mcp__one__who', {})).toMatchObject({ isError: true });
    await one!.connect();
    expect(await one!.callToolResult('mcp__one__who', {})).toMatchObject({ isError: false });
  });

  it('returns structured content as one object', async () => {
    await using world = await connect();
    await using tools = toolsOf(world);
    const [one] = createOpenAiAgentsAdapter(world.host, tools).mcpServers();
    expect(await one!.callToolResult('mcp__one__structured', {})).toMatchObject({
      structuredContent: { celsius: 21 },
    });
  });
});
