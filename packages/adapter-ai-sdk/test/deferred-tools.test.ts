import { createHost } from '@mcp-fittings/host';
import { createTools } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, it } from 'vitest';
import { createAiSdkAdapter, type AiSdkCallOutput } from '@mcp-fittings/adapter-ai-sdk';

const ECHO = 'mcp__s__echo';

it('a deferred tool can be called once the model has found it, and in later turns', async () => {
  const servers = {
    s() {
      const server = new McpServer({ name: 's', version: '1.0.0' });
      server.registerTool('echo', {}, () => ({ content: [{ type: 'text', text: 'Here.' }] }));
      server.registerTool('other', {}, () => ({ content: [] }));
      return server;
    },
  };
  await using host = createHost({ name: 'tests', version: '1.0.0', transports: [inprocess({ servers })] });
  await host.connect({ s: { type: 'inprocess' } });
  await using tools = createTools(host, { defaultPermission: 'allow', defer: 'always' });
  const adapter = createAiSdkAdapter(tools);
  const conversation = tools.conversation();
  for (const known of [['tool_search'], ['tool_search', ECHO]]) {
    const turn = tools.snapshot(conversation);
    const active = () => turn.activeTools().map(({ name }) => name);
    const offered = adapter.toolSet(turn);
    expect(Object.keys(offered).toSorted()).toEqual([ECHO, 'mcp__s__other', 'tool_search']);
    expect(active()).toEqual(known);
    const run = async (name: string, input: unknown): Promise<AiSdkCallOutput | undefined> =>
      (await offered[name]!.execute(input, { toolCallId: 'c', messages: [] }).next()).value ?? undefined;
    expect(await run('tool_search', { query: 'echo' })).toMatchObject({ status: 'succeeded' });
    expect(active()).toEqual(['tool_search', ECHO]);
    expect(await run(ECHO, {})).toMatchObject({ status: 'succeeded', text: 'Here.' });
  }
});
