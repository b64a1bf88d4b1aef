import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';
import { createTool } from '@mastra/core/tools';
import { createMastraAdapter, type MastraAdapter } from '@mcp-fittings/adapter-mastra';
import { createHost } from '@mcp-fittings/host';
import { createToolPolicy, createTools, type Confirm } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const make = (fields: Parameters<typeof createTool>[0]) => createTool(fields);
type MastraTool = ReturnType<typeof make>;

const RESERVED = ['resumeData', 'suspendedToolCallId', 'suspendedToolRunId', '_background'];

/** A server whose tools `note` and `args` are allowed, and whose tool `erase` needs approval. */
async function connect(confirm?: Confirm) {
  const ran: string[] = [];
  const host = createHost({
    name: 'tests',
    version: '1.0.0',
    transports: [
      inprocess({
        servers: {
          s() {
            const server = new McpServer({ name: 's', version: '1.0.0' });
            for (const name of ['note', 'erase'])
              server.registerTool(name, {}, () => {
                ran.push(name);
                return { content: [{ type: 'text', text: `${name} ran.` }] };
              });
            const args = Object.fromEntries([...RESERVED, 'kept'].map((name) => [name, z.any().optional()]));
            server.registerTool('args', { inputSchema: args }, (received) => {
              ran.push(...Object.keys(received));
              return { content: [] };
            });
            return server;
          },
        },
      }),
    ],
  });
  await host.connect({ s: { type: 'inprocess' } });
  const policy = createToolPolicy({ servers: { s: { allowedTools: ['note', 'args'] } } });
  const tools = createTools(host, { policy, confirm });
  return {
    ran,
    adapter: createMastraAdapter(tools, { createTool: (fields) => createTool(fields) }),
    async [Symbol.asyncDispose]() {
      await tools.close();
      await host.close();
    },
  };
}

/** An agent whose model calls a tool once, and then says what it was sent. */
function agentOf(adapter: MastraAdapter<MastraTool>, toolName: string, args: object = {}): Agent {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async ({ prompt }) => {
      const [result] = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      return result === undefined
        ? {
            content: [{ type: 'tool-call', toolCallId: 'c1', toolName, input: JSON.stringify(args) }],
            finishReason: 'tool-calls',
            usage,
            warnings: [],
          }
        : {
            content: [{ type: 'text', text: JSON.stringify(result.output) }],
            finishReason: 'stop',
            usage,
            warnings: [],
          };
    },
  });
  const agent = new Agent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'Help.',
    // With `exactOptionalPropertyTypes`, the mock of Mastra does not match the type of Mastra.
    model: model as MastraModelConfig,
    tools: () => adapter.tools(),
  });
  void new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  return agent;
}

describe('an agent of Mastra', () => {
  it('asks with `generate` too', async () => {
    await using world = await connect();
    const agent = agentOf(world.adapter, 'mcp__s__erase');
    const asked = await agent.generate('Do it.');
    expect(asked).toMatchObject({
      finishReason: 'suspended',
      suspendPayload: { toolCallId: 'c1', toolName: 'mcp__s__erase' },
    });
    expect(world.ran).toEqual([]);
    const { text } = await agent.approveToolCallGenerate({ runId: asked.runId ?? '', toolCallId: 'c1' });
    expect(text).toContain('erase ran.');
    expect(world.ran).toEqual(['erase']);
  });

  it('asks about a tool that the policy allows, if the agent requires approval of all', async () => {
    await using world = await connect();
    const agent = agentOf(world.adapter, 'mcp__s__note');
    const asked = await agent.generate('Do it.', { requireToolApproval: true });
    expect(asked.finishReason).toBe('suspended');
    expect(world.ran).toEqual([]);
  });

  it('removes the arguments whose names Mastra uses itself', async () => {
    await using world = await connect();
    const args = Object.fromEntries([...RESERVED, 'kept'].map((name) => [name, { approved: true }]));
    await agentOf(world.adapter, 'mcp__s__args', args).generate('Do it.');
    expect(world.ran).toEqual(['kept']);
  });

  it.each([[undefined], [async () => 'once' as const]])(
    'asks `confirm` of the tools with `generateLegacy`, which does not ask: %o',
    async (confirm) => {
      await using world = await connect(confirm);
      const agent = new Agent({
        id: 'legacy',
        name: 'Legacy',
        instructions: 'Help.',
        model: legacyModel('mcp__s__erase'),
        tools: () => world.adapter.tools(),
      });
      const { text } = await agent.generateLegacy('Do it.', { maxSteps: 3 });
      expect(world.ran).toEqual(confirm === undefined ? [] : ['erase']);
      expect(text).toContain(confirm === undefined ? 'requires confirmation' : 'erase ran.');
    },
  );
});

/** A model in the form of AI SDK 4. */
function legacyModel(toolName: string) {
  const rest = {
    usage: { promptTokens: 1, completionTokens: 1 },
    rawCall: { rawPrompt: undefined, rawSettings: {} },
  };
  return {
    specificationVersion: 'v1' as const,
    provider: 'test',
    modelId: 'test',
    defaultObjectGenerationMode: undefined,
    async doGenerate({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) {
      const results = prompt.filter(({ role }) => role === 'tool');
      return results.length > 0
        ? { text: JSON.stringify(results), finishReason: 'stop' as const, ...rest }
        : {
            toolCalls: [{ toolCallType: 'function' as const, toolCallId: 'c1', toolName, args: '{}' }],
            finishReason: 'tool-calls' as const,
            ...rest,
          };
    },
    async doStream(): Promise<never> {
      throw new Error('This model does not stream.');
    },
  };
}
