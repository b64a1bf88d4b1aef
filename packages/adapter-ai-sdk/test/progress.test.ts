import { createHost } from '@mcp-fittings/host';
import { createTools } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { createAiSdkAdapter, type AiSdkCallOutput } from '@mcp-fittings/adapter-ai-sdk';

/** Calls a tool that reports these steps, and returns the preliminary outputs. */
async function outputsOf(
  steps: readonly { readonly message?: string; readonly total?: number }[],
  read: () => Promise<void>,
): Promise<readonly Partial<AiSdkCallOutput>[]> {
  const servers = {
    s() {
      const server = new McpServer({ name: 's', version: '1.0.0' });
      server.registerTool('steps', {}, async ({ _meta, sendNotification }) => {
        for (const [at, step] of steps.entries()) {
          const params = { progressToken: _meta?.progressToken ?? '', progress: at + 1, ...step };
          await sendNotification({ method: 'notifications/progress', params });
          // Each is read before the next one.
          await new Promise((resolve) => setImmediate(resolve));
        }
        return { content: [{ type: 'text', text: 'done' }] };
      });
      return server;
    },
  };
  await using host = createHost({ name: 'tests', version: '1.0.0', transports: [inprocess({ servers })] });
  await host.connect({ s: { type: 'inprocess' } });
  await using tools = createTools(host, { defaultPermission: 'allow' });
  const seen: AiSdkCallOutput[] = [];
  const adapter = createAiSdkAdapter(tools, { onOutput: (output) => void seen.push(output) });
  const yielded: AiSdkCallOutput[] = [];
  const outputs = adapter.toolSet()['mcp__s__steps']?.execute({}, { toolCallId: 'c', messages: [] });
  if (outputs === undefined) throw new Error('no tool');
  for await (const output of outputs) {
    yielded.push(output);
    await read();
  }
  expect(seen).toEqual(yielded);
  expect(yielded.at(-1)).toMatchObject({ text: 'done', isError: false });
  return yielded
    .filter(({ status }) => status === 'running')
    .map(({ text, progress, total }) => ({ text, progress, ...(total !== undefined && { total }) }));
}

describe('the progress of a call', () => {
  it('is one output for each step, with its message and its numbers', async () => {
    const steps = [{ message: 'Step 1', total: 3 }, { message: 'Step 2', total: 3 }, { total: 3 }];
    expect(await outputsOf(steps, async () => undefined)).toEqual([
      { text: 'Step 1', progress: 1, total: 3 },
      { text: 'Step 2', progress: 2, total: 3 },
      { text: 'Step 2', progress: 3, total: 3 },
    ]);
  });

  it('has each message once also for a slow reader, and the latest numbers', async () => {
    const steps = ['a', 'b', 'c', 'd'].map((message) => ({ message }));
    let turns = 0;
    const outputs = await outputsOf(steps, async () => {
      if (turns++ > 0) return;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    });
    expect(outputs.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
    expect(outputs.at(-1)).toEqual({ text: 'd', progress: 4 });
  });
});
