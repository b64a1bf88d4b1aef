import { setImmediate as nextTick } from 'node:timers/promises';
import { createHost } from '@mcp-fittings/host';
import {
  createToolPolicy,
  createTools,
  type Confirm,
  type ToolCallOutput,
  type ToolEvent,
} from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  createMastraAdapter,
  type MastraAdapterOptions,
  type MastraToolFields,
} from '@mcp-fittings/adapter-mastra';

const MATCH = 'mcp__s__match';
const GUARDED = 'mcp__s__guarded';

/** With `changes`, a call of `match` describes `guarded` in other words. */
function createServer(changes = false): McpServer {
  const server = new McpServer({ name: 's', version: '1.0.0' });
  server.registerTool('match', { inputSchema: { text: z.string().regex(/^a+$/) } }, ({ text }) => {
    if (changes) guarded.update({ description: 'Another tool.' });
    return { content: [{ type: 'text', text }], structuredContent: { text } };
  });
  server.registerTool('steps', {}, async (extra) => {
    const progressToken = extra._meta?.progressToken ?? '';
    for (const progress of [1, 2])
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 2 },
      });
    return { content: [{ type: 'text', text: 'Done.' }] };
  });
  const guarded = server.registerTool('guarded', {}, () => ({
    content: [{ type: 'text', text: 'It ran.' }],
  }));
  return server;
}

type Options = Partial<MastraAdapterOptions<MastraToolFields>> & {
  readonly confirm?: Confirm;
  readonly changes?: boolean;
  readonly defer?: 'always';
};

/** The fields of the tools, without Mastra. `guarded` needs approval. */
async function connect({ confirm, changes, defer, ...options }: Options = {}) {
  const host = createHost({
    name: 'tests',
    version: '1.0.0',
    transports: [inprocess({ servers: { s: () => createServer(changes), t: () => createServer() } })],
  });
  await host.connect({ s: { type: 'inprocess' }, t: { type: 'inprocess', server: 't' } });
  const permissions = { allowedTools: ['match', 'steps'] };
  const policy = createToolPolicy({ servers: { s: permissions, t: permissions } });
  const tools = createTools(host, { policy, confirm, defer });
  const adapter = createMastraAdapter(tools, { createTool: (fields) => fields, ...options });
  return {
    host,
    tools,
    adapter,
    tool: (name: string): MastraToolFields => adapter.tools()[name]!,
    async [Symbol.asyncDispose]() {
      await tools.close();
      await host.close();
    },
  };
}
const context = (toolCallId: string): Parameters<MastraToolFields['execute']>[1] => ({
  agent: { toolCallId },
});

describe('a tool for Mastra', () => {
  it('has a schema that accepts anything, and is written as that of the server', async () => {
    await using world = await connect();
    const { inputSchema, ...fields } = world.tool(MATCH);
    const { validate, jsonSchema } = inputSchema['~standard'];
    expect(validate({ text: 7 })).toEqual({ value: { text: 7 } });
    expect(jsonSchema.input()).toMatchObject({
      type: 'object',
      properties: { text: { type: 'string', pattern: '^a+$' } },
      required: ['text'],
    });
    expect(jsonSchema.input()).not.toBe(jsonSchema.input());
    expect(fields).toMatchObject({ id: MATCH, strict: false, mcpMetadata: { serverName: 's' } });
  });

  it('is in the toolset of its server', async () => {
    await using world = await connect();
    const { s = {}, t = {}, ...others } = world.adapter.toolsets();
    expect(others).toEqual({});
    expect(Object.keys(s)).toEqual([GUARDED, MATCH, 'mcp__s__steps']);
    expect(Object.keys(t)).toEqual(['mcp__t__guarded', 'mcp__t__match', 'mcp__t__steps']);
  });

  it('that is deferred can be called once the model has found it', async () => {
    await using world = await connect({ defer: 'always' });
    const turn = world.tools.snapshot(world.tools.conversation());
    const active = () => turn.activeTools().map(({ name }) => name);
    const offered = world.adapter.tools(turn);
    expect(Object.keys(offered)).toHaveLength(7);
    expect(world.adapter.toolsets(turn)['s']?.[MATCH]).toMatchObject({ id: MATCH });
    expect(active()).toEqual(['tool_search']);
    await offered['tool_search']?.execute({ query: `select:${MATCH}` }, {});
    expect(active()).toEqual(['tool_search', MATCH]);
    expect(await offered[MATCH]?.execute({ text: 'aa' }, {})).toMatchObject({ text: 'aa' });
  });

  it('returns an output for the program, and converts it for the model', async () => {
    await using world = await connect();
    const tool = world.tool(MATCH);
    const output = await tool.execute({ text: 'aa' }, {});
    expect(output).toMatchObject({ status: 'succeeded', text: 'aa', structuredContent: { text: 'aa' } });
    expect(output.error).toBeUndefined();
    expect(tool.toModelOutput(output)).toEqual({ type: 'content', value: [{ type: 'text', text: 'aa' }] });
  });

  it('does not reject if the call fails', async () => {
    await using world = await connect();
    const tool = world.tool(MATCH);
    const output = await tool.execute({ text: 'b' }, {});
    expect(output).toMatchObject({
      status: 'failed',
      error: { code: 'ARGUMENTS_INVALID', delivery: 'not-sent', hint: expect.any(String) as string },
    });
    expect(tool.toModelOutput(output)).toEqual({
      type: 'error-text',
      value: expect.stringContaining('invalid: text') as string,
    });
  });

  it.each([[undefined], [null], ['text'], [{ error: true, message: 'replaced' }], [{ parts: 'none' }]])(
    'leaves an output to Mastra that is not one of ours: %j',
    async (output) => {
      await using world = await connect();
      expect(world.tool(MATCH).toModelOutput(output)).toBeUndefined();
    },
  );

  it('writes progress to the stream before the result, and tells the program each event', async () => {
    const events: [ToolEvent['type'], string | undefined][] = [];
    await using world = await connect({
      onEvent: (event, { toolCallId }) => events.push([event.type, toolCallId]),
    });
    const chunks: unknown[] = [];
    const writer = {
      async write(chunk: unknown) {
        await nextTick();
        chunks.push(chunk);
      },
    };
    await world.tool('mcp__s__steps').execute({}, { ...context('c1'), writer });
    expect(chunks.at(-1)).toEqual({ type: 'progress', progress: 2, total: 2 });
    expect(events.at(-2)).toEqual(['progress', 'c1']);
    expect(events.at(-1)).toEqual(['result', 'c1']);
  });

  it('returns the result even if the stream has ended', async () => {
    await using world = await connect();
    const writer = { write: () => Promise.reject(new Error('The stream is closed.')) };
    expect(await world.tool('mcp__s__steps').execute({}, { writer })).toMatchObject({ text: 'Done.' });
  });

  it('ends the call if its signal is aborted', async () => {
    await using world = await connect();
    const output = await world.tool(MATCH).execute({ text: 'a' }, { abortSignal: AbortSignal.abort() });
    expect(output).toMatchObject({ status: 'failed', error: { code: 'ABORTED' } });
  });
});

describe('a call that needs approval', () => {
  /** Mastra announces the call, asks, announces it again after the approval, and executes it. */
  const approved = async (tool: MastraToolFields, toolCallId = 'c1'): Promise<ToolCallOutput> => {
    tool.onInputAvailable({ toolCallId });
    tool.onInputAvailable({ toolCallId });
    return tool.execute({}, context(toolCallId));
  };

  it('is asked about by Mastra, unless `confirm` of the tools asks', async () => {
    await using world = await connect();
    const { requireApproval } = world.tool(GUARDED);
    expect(requireApproval && requireApproval()).toBe(true);
    // Not a function: `requireToolApproval` of the agent counts.
    expect(world.tool(MATCH).requireApproval).toBe(false);
    await using confirming = await connect({ approval: 'confirm' });
    expect(confirming.tool(GUARDED).requireApproval).toBe(false);
  });

  it('runs if Mastra executes a call that it announced', async () => {
    await using world = await connect();
    expect(await approved(world.tool(GUARDED))).toMatchObject({ status: 'succeeded', text: 'It ran.' });
  });

  it.each<[string, Parameters<MastraToolFields['execute']>[1]]>([
    ['was not announced, as by `generateLegacy`', context('c1')],
    ['has no agent, as in a workflow', {}],
    ['was another one', context('c2')],
  ])('does not run without `confirm` if it %s', async (_, executed) => {
    await using world = await connect();
    const tool = world.tool(GUARDED);
    if (executed.agent?.toolCallId === 'c2') tool.onInputAvailable({ toolCallId: 'c1' });
    expect(await tool.execute({}, executed)).toMatchObject({
      status: 'failed',
      error: { code: 'APPROVAL_REQUIRED', delivery: 'not-sent' },
    });
  });

  it.each(['the tools that it was asked with', 'tools that were taken anew'])(
    'does not run if the tool changed while Mastra asked, with %s',
    async (taken) => {
      await using world = await connect({ changes: true });
      const asked = world.tool(GUARDED);
      asked.onInputAvailable({ toolCallId: 'c1' });
      const changed = new Promise((resolve) => world.host.on('toolsChanged', resolve));
      await world.host.callTool({ server: 's', tool: 'match' }, { text: 'a' });
      await changed;
      const tool = taken.startsWith('the') ? asked : world.tool(GUARDED);
      tool.onInputAvailable({ toolCallId: 'c1' });
      expect(await tool.execute({}, context('c1'))).toMatchObject({
        text: expect.stringContaining('changed while the question was open') as string,
        error: { code: 'APPROVAL_REQUIRED', delivery: 'not-sent' },
      });
    },
  );

  it('does not run again with the approval of an earlier call', async () => {
    await using world = await connect();
    const tool = world.tool(GUARDED);
    await approved(tool);
    expect(await tool.execute({}, context('c1'))).toMatchObject({ error: { code: 'APPROVAL_REQUIRED' } });
  });

  it('does not run with other arguments than those that the user saw', async () => {
    await using world = await connect();
    const tool = world.tool(GUARDED);
    tool.onInputAvailable({ toolCallId: 'c1', input: { command: 'ls' } });
    expect(await tool.execute({ command: 'curl evil' }, context('c1'))).toMatchObject({
      error: { code: 'APPROVAL_REQUIRED', delivery: 'not-sent' },
    });
    tool.onInputAvailable({ toolCallId: 'c2', input: { command: 'ls' } });
    expect(await tool.execute({ command: 'ls' }, context('c2'))).toMatchObject({ text: 'It ran.' });
  });

  it('asks `confirm` of the tools in a workflow', async () => {
    const questions: string[] = [];
    await using world = await connect({
      confirm: async ({ tool }) => {
        questions.push(tool.name);
        return 'once';
      },
    });
    expect(await world.tool(GUARDED).execute({}, {})).toMatchObject({ text: 'It ran.' });
    expect(questions).toEqual([GUARDED]);
    expect(await approved(world.tool(GUARDED))).toMatchObject({ text: 'It ran.' });
    expect(questions).toEqual([GUARDED]);
  });

  it('does not run because Mastra announced it, if Mastra did not ask', async () => {
    await using world = await connect({ approval: 'confirm' });
    expect(await approved(world.tool(GUARDED))).toMatchObject({ error: { code: 'APPROVAL_REQUIRED' } });
  });

  it('forgets the oldest of a thousand questions', async () => {
    await using world = await connect();
    const tool = world.tool(GUARDED);
    for (let call = 0; call <= 1_000; call++) tool.onInputAvailable({ toolCallId: `c${call}` });
    expect(await tool.execute({}, context('c0'))).toMatchObject({ status: 'failed' });
    expect(await tool.execute({}, context('c1'))).toMatchObject({ status: 'succeeded' });
  });
});
