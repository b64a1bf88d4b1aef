import { createHost } from '@mcp-fittings/host';
import { createTools, type ToolsOptions } from '@mcp-fittings/tools';
import { createSpill, memorySpillStore } from '@mcp-fittings/tools/spill';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createOpenAiAgentsAdapter, openAiAgentsNameLimits } from '@mcp-fittings/adapter-openai-agents';

const WAV = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(20)]).toString('base64');

function createServer(): McpServer {
  const server = new McpServer({ name: 's', version: '1.0.0' });
  server.registerTool('open-ended', { inputSchema: z.looseObject({ a: z.string() }) }, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  server.registerTool('long', {}, () => ({ content: [{ type: 'text', text: 'line\n'.repeat(1_000) }] }));
  return server;
}

async function connect(options: ToolsOptions = {}) {
  const host = createHost({
    name: 'tests',
    version: '1.0.0',
    transports: [inprocess({ servers: { s: createServer, other: createServer } })],
  });
  await host.connect({ s: { type: 'inprocess' }, off: { type: 'inprocess', disabled: true } });
  await host.connect({ other: { type: 'inprocess' } });
  const tools = createTools(host, {
    defaultPermission: 'allow',
    nameLimits: openAiAgentsNameLimits,
    ...options,
  });
  return {
    host,
    tools,
    async [Symbol.asyncDispose]() {
      await tools.close();
      await host.close();
    },
  };
}

describe('a server of the adapter', () => {
  it('is the same object each time, and has the name of the server', async () => {
    await using world = await connect();
    const adapter = createOpenAiAgentsAdapter(world.host, world.tools);
    const [s, off] = adapter.mcpServers();
    expect([s?.name, off?.name]).toEqual(['s', 'off']);
    expect(adapter.mcpServers()[0]).toBe(s);
  });

  it('lists a schema that the SDK does not convert to strict mode, under a name without `-`', async () => {
    await using world = await connect();
    const [s] = createOpenAiAgentsAdapter(world.host, world.tools).mcpServers();
    expect((await s!.listTools()).at(-1)).toMatchObject({
      name: 'mcp__s__open_ended',
      inputSchema: { type: 'object', required: ['a'], additionalProperties: false },
    });
  });

  it('describes media that the SDK cannot send, so that it sends no base64 as text', async () => {
    await using world = await connect();
    const [s] = createOpenAiAgentsAdapter(world.host, world.tools).mcpServers();
    const content = await s!.callTool('mcp__s__open_ended', { a: 'x' });
    expect(content).toEqual(
      Object.assign([{ type: 'text', text: expect.stringMatching(/^\[audio\/wav/) }], { isError: false }),
    );
  });

  it('does not call a tool of another server', async () => {
    await using world = await connect();
    const adapter = createOpenAiAgentsAdapter(world.host, world.tools);
    const [s, , other] = adapter.mcpServers();
    const name = 'mcp__other__open_ended';
    expect(await other!.callToolResult(name, { a: 'x' })).toMatchObject({ isError: false });
    for (const _list of ['before it listed its own', 'after']) {
      expect(await s!.callToolResult(name, { a: 'x' })).toMatchObject({
        isError: true,
        _meta: { 'mcp-fittings/error': { code: 'TOOL_UNKNOWN', delivery: 'not-sent' } },
      });
      await s!.listTools();
    }
  });

  it('offers the reader of large results, which no server has', async () => {
    await using spill = createSpill({ store: memorySpillStore(), maxCharacters: 100 });
    await using world = await connect({ spill });
    const adapter = createOpenAiAgentsAdapter(world.host, world.tools, {
      invalidateServerToolsCache: async () => undefined,
    });
    const [own, s] = adapter.mcpServers();
    expect(own).toMatchObject({ name: 'fittings', cacheToolsList: false });
    await own!.connect();
    expect((await own!.listTools()).map(({ name }) => name)).toEqual(['read_result']);
    const note = (await s!.callTool('mcp__s__long', {})).at(-1)?.text ?? '';
    const [reference] = /r_[\w-]+/.exec(note) ?? [];
    expect((await own!.callTool('read_result', { reference, line: 999 }))[0]?.text).toBe('line\nline\n');
  });

  it('connect() rejects with the error of the host', async () => {
    await using world = await connect();
    const [, off] = createOpenAiAgentsAdapter(world.host, world.tools).mcpServers();
    await expect(off!.connect()).rejects.toMatchObject({ code: 'SERVER_DISABLED' });
  });

  it('does not keep a list of tools for the SDK unless the program can drop it', async () => {
    await using world = await connect();
    const [s] = createOpenAiAgentsAdapter(world.host, world.tools).mcpServers();
    expect(s?.cacheToolsList).toBe(false);
    await expect(s!.invalidateToolsCache()).resolves.toBeUndefined();
  });

  it('drops the list of a server whose state changes, and ignores a failure of that', async () => {
    await using world = await connect();
    const dropped: string[] = [];
    const adapter = createOpenAiAgentsAdapter(world.host, world.tools, {
      invalidateServerToolsCache(name) {
        dropped.push(name);
        return Promise.reject(new Error('no cache'));
      },
    });
    await world.host.disable('s');
    expect(dropped).toContain('s');
    dropped.length = 0;
    adapter[Symbol.dispose]();
    world.host.enable('s');
    await world.host.start('s');
    expect(dropped).toEqual([]);
  });
});
