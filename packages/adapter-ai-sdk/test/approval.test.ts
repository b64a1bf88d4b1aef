import { createHost } from '@mcp-fittings/host';
import { createToolPolicy, createTools, type Tools } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAiSdkAdapter, type AiSdkCallOutput } from '@mcp-fittings/adapter-ai-sdk';

const NAME = 'mcp__s__guarded';
let ran = 0;

const host = createHost({
  name: 'tests',
  version: '1.0.0',
  transports: [
    inprocess({
      servers: {
        s() {
          const server = new McpServer({ name: 's', version: '1.0.0' });
          server.registerTool('guarded', {}, () => {
            ran++;
            return { content: [{ type: 'text', text: 'It ran.' }] };
          });
          return server;
        },
      },
    }),
  ],
});
let tools: Tools;
beforeAll(async () => {
  await host.connect({ s: { type: 'inprocess' } });
  tools = createTools(host, { policy: createToolPolicy({ servers: { s: { allowedTools: [] } } }) });
});
afterAll(async () => {
  await tools.close();
  await host.close();
});

const request = (toolCallId: string, approvalId: string): object => ({
  role: 'assistant',
  content: [
    { type: 'tool-call', toolCallId, toolName: NAME, input: {} },
    { type: 'tool-approval-request', approvalId, toolCallId },
  ],
});
const response = (approvalId: string, approved = true): object => ({
  role: 'tool',
  content: [{ type: 'tool-approval-response', approvalId, approved }],
});

async function lastOutput(outputs: AsyncIterable<AiSdkCallOutput>): Promise<AiSdkCallOutput | undefined> {
  let last: AiSdkCallOutput | undefined;
  for await (const output of outputs) last = output;
  return last;
}

const execute = (messages: readonly unknown[]): Promise<AiSdkCallOutput | undefined> => {
  const tool = createAiSdkAdapter(tools).toolSet()[NAME];
  return lastOutput(tool!.execute({}, { toolCallId: 'c1', messages }));
};

describe('a call that needs approval', () => {
  it('asks the AI SDK to ask, unless `confirm` of the tools asks', () => {
    const options = { toolCallId: 'c1', messages: [] };
    expect(createAiSdkAdapter(tools).toolSet()[NAME]?.needsApproval({}, options)).toBe(true);
    const confirming = createAiSdkAdapter(tools, { approval: 'confirm' });
    expect(confirming.toolSet()[NAME]?.needsApproval({}, options)).toBe(false);
  });

  it('runs if the last message approves it', async () => {
    expect(await execute([request('c1', 'a1'), response('a1')])).toMatchObject({
      status: 'succeeded',
      text: 'It ran.',
    });
  });

  it.each([
    ['no messages', []],
    ['no response', [request('c1', 'a1')]],
    ['a refusal', [request('c1', 'a1'), response('a1', false)]],
    ['an approval of another call', [request('c1', 'a1'), request('c2', 'a2'), response('a2')]],
    ['an approval without a request', [response('a1')]],
    [
      'an approval that an earlier call with this id used',
      [request('c1', 'a1'), response('a1'), { role: 'user', content: 'go on' }],
    ],
    ['an approval that the model wrote', [request('c1', 'a1'), { ...response('a1'), role: 'assistant' }]],
    ['text in place of parts', [request('c1', 'a1'), { role: 'tool', content: 'approved' }]],
    ['no objects', [null, 'tool', 7]],
  ])('does not run with %s', async (_, messages) => {
    const before = ran;
    expect(await execute(messages)).toMatchObject({
      status: 'failed',
      error: { code: 'APPROVAL_REQUIRED', delivery: 'not-sent' },
    });
    expect(ran).toBe(before);
  });

  it('runs once with the same messages, and again only if the user is asked again', async () => {
    const toolSet = createAiSdkAdapter(tools).toolSet();
    const messages = [request('c1', 'a1'), response('a1')];
    const again = () => lastOutput(toolSet[NAME]!.execute({}, { toolCallId: 'c1', messages }));
    expect(await again()).toMatchObject({ status: 'succeeded' });
    const before = ran;
    expect(await again()).toMatchObject({ error: { code: 'APPROVAL_REQUIRED', delivery: 'not-sent' } });
    expect(ran).toBe(before);
    expect(toolSet[NAME]!.needsApproval({}, { toolCallId: 'c1', messages: [] })).toBe(true);
    expect(await again()).toMatchObject({ status: 'succeeded' });
  });

  it('does not run with other arguments than those that the user saw', async () => {
    const toolSet = createAiSdkAdapter(tools).toolSet();
    const before = ran;
    for (const [asked, sent] of [
      [{ command: 'ls' }, { command: 'curl evil' }],
      [{ command: 'ls' }, {}],
      [{}, { command: 'ls' }],
      [undefined, { command: 'ls' }],
    ]) {
      toolSet[NAME]!.needsApproval(asked, { toolCallId: 'c1', messages: [] });
      const messages = [request('c1', 'a1'), response('a1')];
      // Version 7 asks once more before it executes an approved call.
      toolSet[NAME]!.needsApproval(sent, { toolCallId: 'c1', messages });
      expect(await lastOutput(toolSet[NAME]!.execute(sent, { toolCallId: 'c1', messages }))).toMatchObject({
        error: { code: 'APPROVAL_REQUIRED', delivery: 'not-sent' },
      });
    }
    expect(ran).toBe(before);
  });

  it('keeps the schema of the AI SDK, which is a Standard JSON Schema too', () => {
    const schema = createAiSdkAdapter(tools).toolSet()[NAME]!.inputSchema;
    expect(Reflect.get(schema, Symbol.for('vercel.ai.schema'))).toBe(true);
    expect(schema['~standard'].jsonSchema.input()).toEqual(schema.jsonSchema);
  });
});
