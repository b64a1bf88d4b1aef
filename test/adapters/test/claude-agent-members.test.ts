import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as newest from '@anthropic-ai/claude-agent-sdk';
import {
  createClaudeAgentAdapter,
  type ClaudeAgentPermissionResult,
} from '@mcp-fittings/adapter-claude-agent';
import { createToolPolicy, createTools } from '@mcp-fittings/tools';
import * as oldest from 'claude-agent-sdk-oldest';
import { describe, expect, it, vi } from 'vitest';
import { startMessagesApi, type MessagesRequest } from '../servers/messages-api.mjs';
import { createWorld, type World } from '../suite/world.js';
import { programOfOldest } from './claude-agent-program.js';

/** Two real servers, without an agent. */
const connect = (): Promise<World> =>
  createWorld({
    framework: 'none',
    differs: { unknownTool: 'the model is told' },
    open: async () => ({
      run: () => Promise.reject(new Error('There is no agent.')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  });
const policy = createToolPolicy({ servers: { one: { allowedTools: ['echo', 'grow'] } } });
const common = { model: 'claude-sonnet-4-5', tools: [], settingSources: [], persistSession: false };

const versions = [
  {
    version: 'newest',
    asksInSpiteOfRules: true,
    run: async (
      options: Pick<newest.Options, 'mcpServers' | 'canUseTool' | 'allowedTools' | 'cwd' | 'env'>,
    ) => {
      for await (const message of newest.query({ prompt: 'Do it.', options: { ...common, ...options } }))
        if (message.type === 'result') expect(message.subtype).toBe('success');
    },
  },
  {
    version: 'oldest',
    asksInSpiteOfRules: false,
    run: async (
      options: Pick<oldest.Options, 'mcpServers' | 'canUseTool' | 'allowedTools' | 'cwd' | 'env'>,
    ) => {
      const all = { ...common, ...programOfOldest, ...options };
      for await (const message of oldest.query({ prompt: 'Do it.', options: all }))
        if (message.type === 'result') expect(message.subtype).toBe('success');
    },
  },
];

describe.each(versions)('a query, $version', ({ asksInSpiteOfRules, run }) => {
  it('a rule of Claude Code does not answer the question of the policy', async () => {
    await using world = await connect();
    await using tools = createTools(world.host, { policy });
    await using folder = await createFolder();
    const canUseTool = vi.fn(async (): Promise<ClaudeAgentPermissionResult> => ({
      behavior: 'deny',
      message: 'The user declined.',
    }));
    const failures: unknown[] = [];
    using adapter = createClaudeAgentAdapter(world.host, tools, {
      canUseTool,
      onEvent: (event) => event.type === 'error' && failures.push(event.error.code),
    });
    await using api = await startMessagesApi(({ messages }) =>
      messages.length < 3
        ? [{ type: 'tool_use', id: 'toolu_1', name: 'mcp__one__guarded', input: {} }]
        : [{ type: 'text', text: 'Done.' }],
    );
    const allowedTools = ['mcp__one__guarded'];
    const { mcpServers } = { mcpServers: adapter.mcpServers() };
    await run({ mcpServers, canUseTool: adapter.canUseTool, allowedTools, ...folder.options(api) });
    expect(await world.log()).toEqual([]);
    expect(canUseTool).toHaveBeenCalledTimes(asksInSpiteOfRules ? 1 : 0);
    expect(failures).toEqual(asksInSpiteOfRules ? [] : ['APPROVAL_REQUIRED']);
  });
});

describe('a running query', () => {
  it('offers a tool that the server adds', async () => {
    await using world = await connect();
    await using tools = createTools(world.host, { policy });
    await using folder = await createFolder();
    using adapter = createClaudeAgentAdapter(world.host, tools, { alwaysLoad: true });
    const offers = ({ tools: offered = [] }: MessagesRequest): boolean =>
      offered.some(({ name }) => name === 'mcp__one__grown');
    let calls = 0;
    await using api = await startMessagesApi((request) => {
      if (offers(request) || calls > 50) return [{ type: 'text', text: 'Done.' }];
      const name = calls === 0 ? 'mcp__one__grow' : 'mcp__one__echo';
      return [{ type: 'tool_use', id: `toolu_${calls++}`, name, input: { text: 'Is it there?' } }];
    });
    const { canUseTool } = adapter;
    await versions[0]!.run({ mcpServers: adapter.mcpServers(), canUseTool, ...folder.options(api) });
    expect(offers(api.requests[0]!)).toBe(false);
    expect(offers(api.requests.at(-1)!)).toBe(true);
  });
});

async function createFolder() {
  const cwd = await mkdtemp(join(tmpdir(), 'fittings-claude-'));
  return {
    options: (api: { env(home: string): Record<string, string | undefined> }) => ({ cwd, env: api.env(cwd) }),
    [Symbol.asyncDispose]: () => rm(cwd, { recursive: true, force: true }),
  };
}
