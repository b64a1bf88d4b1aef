import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { FittingsError } from '@mcp-fittings/client-core';
import { withTasks, type TaskUpdate, type WithTasksOptions } from '@mcp-fittings/tasks';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { describe, expect, it } from 'vitest';
import { sdkServer } from './support/sdk-server.js';
import { createTaskBoard } from './support/task-board.js';
import { wireServer } from './support/wire-server.js';

const identity = { name: 'test', version: '1' };
const FAST = { limits: { minPollMs: 1 } };
const text = (content: string) => [{ type: 'text', text: content }];

/** A client of SDK v2 with handlers; their requests are recorded. */
function clientV2(): { client: Client; questions: string[] } {
  const questions: string[] = [];
  const client = new Client(identity, {
    capabilities: { elicitation: { form: {} }, sampling: {} },
    versionNegotiation: { mode: 'auto' },
  });
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { name: params.message.startsWith('First') ? 'Ann' : 'Lee' } };
  });
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'a thought' },
  }));
  return { client, questions };
}

describe('a client of SDK v2 and a server of SDK v2 over Streamable HTTP', () => {
  it('fails without withTasks(): the server refuses a task, and the SDK the type of the result', async () => {
    await using server = await sdkServer(createTaskBoard());
    const { client } = clientV2();
    await client.connect(createHttpTransport({ url: server.url }));
    await expect(client.callTool({ name: 'render' })).rejects.toMatchObject({ code: -32_021 });
    await client.close();
    const declared = new Client(identity, {
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
      versionNegotiation: { mode: 'auto' },
    });
    await declared.connect(createHttpTransport({ url: server.url }));
    const call = declared.callTool({ name: 'render' });
    await expect(call).rejects.toThrow("Unsupported result type 'task' for tools/call");
    await declared.close();
  });

  it.each([
    ['our transport', (url: string) => createHttpTransport({ url })],
    ['the transport of the SDK', (url: string) => new StreamableHTTPClientTransport(new URL(url))],
  ] as const)('delivers the final result as that of callTool(), with %s', async (_name, create) => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const { client } = clientV2();
    await client.connect(withTasks(create(server.url), FAST));
    expect((await client.callTool({ name: 'quick' })).content).toEqual(text('at once'));
    const many = await Promise.all([1, 2, 3].map(() => client.callTool({ name: 'render' })));
    for (const { content } of many) expect(content).toEqual(text('rendered after 3 polls'));
    expect(await client.callTool({ name: 'tool-error' })).toMatchObject({
      isError: true,
      content: text('no paper'),
    });
    const failed = client.callTool({ name: 'fail' });
    await expect(failed).rejects.toMatchObject({
      code: -32603,
      message: 'the printer burns',
      data: { at: 'tray' },
    });
    const routed = server.requests.filter(({ method }) => method === 'tasks/get');
    for (const { headers } of routed) expect(headers['mcp-name']).toMatch(/^task-/);
    expect(routed.length).toBe(11);
    await client.close();
  });

  it('has the handlers of the client answer input requests, each once', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const { client, questions } = clientV2();
    await client.connect(withTasks(createHttpTransport({ url: server.url }), FAST));
    expect((await client.callTool({ name: 'greet' })).content).toEqual(text('hello Ann Lee'));
    expect(questions).toEqual(['First name?', 'Last name?']);
    expect([...board.tasks.values()][0]?.updates).toEqual([['first'], ['last']]);
    const { content } = await client.callTool({ name: 'think' });
    expect(JSON.stringify(content)).toContain('a thought');
    await client.close();
  });

  it('cancels the task when the caller aborts the call, and not with notifications/cancelled', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const { client } = clientV2();
    await client.connect(withTasks(createHttpTransport({ url: server.url }), FAST));
    const abort = new AbortController();
    const call = client.callTool({ name: 'forever' }, { signal: abort.signal });
    const rejected = expect(call).rejects.toThrow('enough');
    await board.called('tasks/get', 2);
    abort.abort(new Error('enough'));
    await rejected;
    await board.called('tasks/cancel');
    expect([...board.tasks.values()][0]?.cancelled).toBe(true);
    expect(server.requests.map(({ method }) => method)).not.toContain('notifications/cancelled');
    await client.close();
  });

  it('survives failed polls, and says truthfully that the server may be at work if all fail', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const { client } = clientV2();
    const limits = { minPollMs: 1, maxPollMs: 5, maxFailures: 3 };
    await client.connect(withTasks(createHttpTransport({ url: server.url }), { server: 'studio', limits }));
    server.failNext(3);
    expect((await client.callTool({ name: 'render' })).content).toEqual(text('rendered after 3 polls'));
    server.failNext(1000);
    const error: unknown = await client.callTool({ name: 'render' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FittingsError);
    expect(error).toMatchObject({
      code: 'SERVER_ERROR',
      delivery: 'unknown',
      server: 'studio',
      retryable: false,
    });
    await client.close();
  });

  it('reports progress and notifications/tasks, and keeps a call with resetTimeoutOnProgress alive', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const { client } = clientV2();
    const seen: TaskUpdate[] = [];
    const options: WithTasksOptions = { ...FAST, server: 'studio', onTask: (task) => void seen.push(task) };
    await client.connect(withTasks(createHttpTransport({ url: server.url }), options));
    const progress: (string | undefined)[] = [];
    const values: number[] = [];
    await client.callTool(
      { name: 'render' },
      {
        onprogress: ({ message, progress: value }) => {
          progress.push(message);
          values.push(value);
        },
      },
    );
    expect(progress).toEqual([undefined, 'frame 1', 'frame 2', undefined]);
    expect(values).toEqual([1, 2, 3, 4]);
    expect(seen.map(({ status, statusMessage }) => [status, statusMessage])).toEqual([
      ['working', undefined],
      ['working', 'frame 1'],
      ['working', 'frame 2'],
      ['completed', undefined],
    ]);
    expect(seen[0]).toMatchObject({ server: 'studio', tool: 'render', ttlMs: 60_000, pollIntervalMs: 5 });
    await client.close();
  });
});

describe('a client of SDK v1 with a server of an earlier revision that has the extension', () => {
  const connect = async (options: WithTasksOptions = FAST) => {
    const board = createTaskBoard();
    const server = wireServer({ board, era: 'initialize' });
    const client = new ClientV1(identity, { capabilities: { elicitation: {}, sampling: {} } });
    const questions: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { name: params.message.startsWith('First') ? 'Ann' : 'Lee' } };
    });
    await client.connect(withTasks(server.transport, options));
    return { board, server, client, questions };
  };

  it('has no content without withTasks(), if a server answers with a task anyway', async () => {
    const answer = ({ method }: { method: string }) =>
      method === 'tools/call' ? { resultType: 'task', taskId: 't', status: 'working' } : undefined;
    const server = wireServer({ board: createTaskBoard(), era: 'initialize', answer });
    const client = new ClientV1(identity);
    await client.connect(server.transport);
    expect(await client.callTool({ name: 'render' })).toMatchObject({ content: [], taskId: 't' });
    await client.close();
  });

  it('delivers the final result as that of callTool()', async () => {
    const { client, server } = await connect();
    expect((await client.callTool({ name: 'render' })).content).toEqual(text('rendered after 3 polls'));
    await expect(client.callTool({ name: 'fail' })).rejects.toMatchObject({ code: -32603 });
    expect(server.received[0]).toMatchObject({
      params: { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
    await client.close();
  });

  it('sends input requests to the client as requests of a server', async () => {
    const { client, questions, board } = await connect();
    expect((await client.callTool({ name: 'greet' })).content).toEqual(text('hello Ann Lee'));
    expect(questions).toEqual(['First name?', 'Last name?']);
    expect([...board.tasks.values()][0]?.updates).toEqual([['first'], ['last']]);
    await client.close();
  });

  it('cancels the task if the client has no handler, and rejects the call', async () => {
    const { client, board } = await connect();
    client.setRequestHandler(CreateMessageRequestSchema, () => Promise.reject(new Error('no model')));
    await expect(client.callTool({ name: 'think' })).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    await board.called('tasks/cancel');
    await client.close();
  });

  it('cancels the task when the caller aborts the call', async () => {
    const { client, board, server } = await connect();
    const abort = new AbortController();
    const call = client.callTool({ name: 'forever' }, CallToolResultSchema, { signal: abort.signal });
    const rejected = expect(call).rejects.toThrow('enough');
    await board.called('tasks/get', 2);
    abort.abort(new Error('enough'));
    await rejected;
    await board.called('tasks/cancel');
    const told = server.received.filter(
      (message) => 'method' in message && message.method === 'notifications/cancelled',
    );
    // That of the poll that was under way is of our own.
    for (const message of told) expect(JSON.stringify(message)).toContain('com.mcp-fittings/tasks/');
    await client.close();
  });

  it('declares nothing in calls to a server that does not declare the extension', async () => {
    const board = createTaskBoard();
    const server = wireServer({
      board,
      era: 'initialize',
      answer: ({ method }) =>
        method === 'initialize'
          ? {
              protocolVersion: '2025-11-25',
              capabilities: { tools: {} },
              serverInfo: { name: 'plain', version: '1' },
            }
          : undefined,
    });
    const client = new ClientV1(identity);
    await client.connect(withTasks(server.transport, FAST));
    await expect(client.callTool({ name: 'render' })).rejects.toMatchObject({ code: -32_021 });
    await client.close();
  });
});
