import { createHost } from '@mcp-fittings/host';
import { createTools, type ToolEvent, type ToolsOptions } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  createLangChainAdapter,
  type LangChainAdapterOptions,
  type LangChainToolFields,
  type LangChainToolMessageFields,
} from '@mcp-fittings/adapter-langchain';

function createServer(): McpServer {
  const server = new McpServer({ name: 's', version: '1.0.0' });
  server.registerTool('match', { inputSchema: { text: z.string().regex(/^a+$/) } }, ({ text }) => ({
    content: [{ type: 'text', text }],
    structuredContent: { text },
    _meta: { 'example.com/id': 7 },
  }));
  return server;
}

type Options = LangChainAdapterOptions<LangChainToolFields, LangChainToolMessageFields>;

/** The fields of the only tool, without LangChain. */
async function connect(more: Partial<Options> = {}, options: ToolsOptions = {}) {
  const host = createHost({
    name: 'tests',
    version: '1.0.0',
    transports: [inprocess({ servers: { s: createServer } })],
  });
  await host.connect({ s: { type: 'inprocess' } });
  const tools = createTools(host, { defaultPermission: 'allow', ...options });
  const adapter = createLangChainAdapter(tools, {
    createTool: (fields) => fields,
    createMessage: (fields) => fields,
    ...more,
  });
  const turn = tools.snapshot(tools.conversation());
  const offered = adapter.structuredTools(turn);
  return {
    offered,
    turn,
    tool: offered.at(-1)!,
    async [Symbol.asyncDispose]() {
      await tools.close();
      await host.close();
    },
  };
}
const config = { toolCall: { id: 'call-1' } };

describe('a tool for LangChain', () => {
  it('has a schema that accepts anything, and is written as that of the server', async () => {
    await using world = await connect();
    const { schema, metadata, name } = world.tool;
    expect(schema.safeParse({ text: 7, more: [] }).success).toBe(true);
    expect(z.toJSONSchema(schema)).toMatchObject({
      type: 'object',
      properties: { text: { type: 'string', pattern: '^a+$' } },
      required: ['text'],
    });
    expect({ name, metadata }).toEqual({ name: 'mcp__s__match', metadata: { server: 's', tool: 'match' } });
  });

  it('returns content and artifact', async () => {
    await using world = await connect();
    expect(await world.tool.func({ text: 'aa' }, undefined, config)).toEqual([
      'aa',
      { isError: false, structuredContent: { text: 'aa' }, _meta: { 'example.com/id': 7 } },
    ]);
  });

  it('a failure is a message with the status `error`', async () => {
    await using world = await connect();
    const failed = await world.tool.func({ text: 'b' }, undefined, config);
    const error = { code: 'ARGUMENTS_INVALID', delivery: 'not-sent' };
    expect(failed).toMatchObject([
      { status: 'error', tool_call_id: 'call-1', name: 'mcp__s__match', artifact: { isError: true, error } },
      { isError: true, error },
    ]);
  });

  it('a failure of a call without an id is its text', async () => {
    await using world = await connect();
    expect(await world.tool.func({ text: 'b' })).toMatchObject([
      expect.stringContaining('invalid: text'),
      { isError: true },
    ]);
  });

  it('tells the program each event, with the id of the call', async () => {
    const events: [ToolEvent['type'], string | undefined][] = [];
    await using world = await connect({
      onEvent: (event, { toolCallId }) => events.push([event.type, toolCallId]),
    });
    await world.tool.func({ text: 'a' }, undefined, config);
    await world.tool.func({ text: 'b' });
    expect(events).toEqual([
      ['result', 'call-1'],
      ['error', undefined],
    ]);
  });

  it('that is deferred can be called once the model has found it', async () => {
    await using world = await connect({}, { defer: 'always' });
    const active = () => world.turn.activeTools().map(({ name }) => name);
    expect(world.offered.map(({ name }) => name)).toEqual(['tool_search', 'mcp__s__match']);
    expect(active()).toEqual(['tool_search']);
    const [search] = world.offered;
    expect(await search!.func({ query: 'match' })).toMatchObject([
      expect.stringContaining('Loaded 1 tool'),
      { isError: false },
    ]);
    expect(active()).toEqual(['tool_search', 'mcp__s__match']);
    expect(await world.tool.func({ text: 'aa' })).toMatchObject(['aa', { isError: false }]);
  });

  it('an aborted signal ends the call', async () => {
    await using world = await connect();
    const aborted = await world.tool.func({ text: 'a' }, undefined, {
      ...config,
      signal: AbortSignal.abort(),
    });
    expect(aborted).toMatchObject([{ status: 'error' }, { error: { code: 'ABORTED' } }]);
  });
});
