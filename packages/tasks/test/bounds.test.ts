import type {
  JSONRPCMessage,
  JSONRPCObject,
  JSONRPCRequest,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { withTasks, type WithTasksOptions } from '@mcp-fittings/tasks';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createTaskBoard, RpcFailure, type TaskBoard } from './support/task-board.js';
import { SILENCE, wireServer } from './support/wire-server.js';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const TASK = { resultType: 'task', taskId: 't1', status: 'working', ttlMs: 60_000, pollIntervalMs: 1000 };

/** A client of 2026-07-28 that is one line long, over a server whose answers a test chooses. */
async function client(
  answers: Readonly<Record<string, (request: JSONRPCRequest) => JSONRPCObject | typeof SILENCE>>,
  options: WithTasksOptions & { readonly board?: TaskBoard } = {},
) {
  const clock = createManualClock();
  const { board = createTaskBoard(), ...rest } = options;
  const server = wireServer({
    board,
    era: 'stateless',
    answer: (request) => answers[request.method]?.(request),
  });
  const transport = withTasks(server.transport, { clock, server: 'wire', ...rest });
  const delivered: JSONRPCMessage[] = [];
  transport.onmessage = (message) => void delivered.push(message);
  await transport.start();
  const call = (id: number, params: JSONRPCObject = {}) =>
    transport.send({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'x', _meta: META, ...params },
    });
  const sent = (method: string): number =>
    server.received.filter((message) => 'method' in message && message.method === method).length;
  const responses = () => delivered.filter((message) => !('method' in message));
  return { clock, server, transport, delivered, responses, call, sent, board };
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'resolved',
    (error: unknown) => error,
  );
const completed = { ...TASK, resultType: 'complete', status: 'completed', result: { content: [] } };

describe('the interval of polls', () => {
  it.each([
    ['that the server asks for', 5000, 5000],
    ['of at least minPollMs', 0, 250],
    ['of at most maxPollMs', 1e12, 60_000],
    ['of defaultPollMs if the server asks for none', undefined, 1000],
    ['of defaultPollMs if it asks for nonsense', 'soon', 1000],
  ])('is one %s', async (_name, pollIntervalMs, expected) => {
    const { clock, call, sent } = await client({
      'tools/call': () => ({ ...TASK, ttlMs: null, pollIntervalMs }),
      'tasks/get': () => ({ ...completed, pollIntervalMs }),
    });
    const done = call(1);
    await clock.advance(expected - 1);
    expect(sent('tasks/get')).toBe(0);
    await clock.advance(1);
    expect(sent('tasks/get')).toBe(1);
    await done;
    expect(clock.pending).toBe(0);
  });

  it('changes with each answer', async () => {
    let polls = 0;
    const { clock, call, sent } = await client({
      'tools/call': () => TASK,
      'tasks/get': () =>
        ++polls < 2 ? { ...TASK, resultType: 'complete', pollIntervalMs: 7000 } : completed,
    });
    const done = call(1);
    await clock.advance(1000 + 6999);
    expect(sent('tasks/get')).toBe(1);
    await clock.advance(1);
    await done;
  });
});

describe('the end of a task that does not end', () => {
  it.each([
    ['its time to live', { ttlMs: 10_000 }, {}],
    ['maxTaskMs', { ttlMs: null }, { maxTaskMs: 10_000 }],
    ['maxPolls', { ttlMs: null }, { maxPolls: 10 }],
  ])('comes with %s: the call is rejected, and the task canceled', async (_name, task, limits) => {
    const { clock, call, sent } = await client(
      {
        'tools/call': () => ({ ...TASK, ...task }),
        'tasks/get': () => ({ ...TASK, ...task, resultType: 'complete' }),
        'tasks/cancel': () => ({}),
      },
      { limits },
    );
    const done = caught(call(1));
    await clock.advance(12_000);
    expect(await done).toMatchObject({ code: 'TASK_ENDED', delivery: 'unknown', server: 'wire' });
    expect(sent('tasks/get')).toBeGreaterThanOrEqual(10);
    expect(sent('tasks/cancel')).toBe(1);
    await clock.advance(100_000);
    expect(sent('tasks/get')).toBeLessThanOrEqual(11);
    expect(clock.pending).toBe(0);
  });

  it('comes when the server has lost it, truthfully: the call was accepted', async () => {
    const { clock, call } = await client({
      'tools/call': () => TASK,
      'tasks/get': () => {
        throw new RpcFailure(-32_602, 'Task has expired');
      },
    });
    const done = caught(call(1));
    await clock.advance(1000);
    expect(await done).toMatchObject({
      code: 'RPC_ERROR',
      delivery: 'unknown',
      details: { rpcCode: -32_602 },
    });
  });

  it('comes when the server has canceled it', async () => {
    const { clock, call } = await client({
      'tools/call': () => TASK,
      'tasks/get': () => ({
        ...TASK,
        resultType: 'complete',
        status: 'cancelled',
        statusMessage: 'out of\u001b[2J paper',
      }),
    });
    const done = caught(call(1));
    await clock.advance(1000);
    expect(await done).toMatchObject({ code: 'TASK_ENDED', delivery: 'unknown' });
    expect(String(await done)).toContain('out of paper');
  });

  it('comes after requests that were not answered', async () => {
    const { clock, call, sent } = await client(
      { 'tools/call': () => ({ ...TASK, ttlMs: null }), 'tasks/get': () => SILENCE },
      { limits: { maxFailures: 2, requestMs: 5000 } },
    );
    const done = caught(call(1));
    await clock.advance(60_000);
    expect(await done).toMatchObject({ code: 'TIMEOUT', delivery: 'unknown', retryable: false });
    expect(sent('tasks/get')).toBe(3);
    // Each was withdrawn.
    expect(sent('notifications/cancelled')).toBe(3);
    // The server may be at work, and the task can be resumed.
    expect(sent('tasks/cancel')).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('comes with the connection, with its reason', async () => {
    const { clock, call, server, transport } = await client({
      'tools/call': () => TASK,
      'tasks/get': () => ({ ...TASK, resultType: 'complete' }),
    });
    const events: string[] = [];
    transport.onclose = () => void events.push('closed');
    const done = caught(call(1)).then((error) => {
      events.push('rejected');
      return error;
    });
    await clock.advance(1500);
    await server.close();
    expect(await done).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown' });
    await expect.poll(() => events).toEqual(['rejected', 'closed']);
    expect(clock.pending).toBe(0);
  });
});

describe('what a server says about a task', () => {
  const form = { method: 'elicitation/create', params: { message: 'x', requestedSchema: {} } };
  it.each([
    ['no id', { taskId: '' }],
    ['an id that is too long', { taskId: 'x'.repeat(1025) }],
    ['an id that is not a string', { taskId: { toString: 'x' } }],
    ['an unknown status', { status: 'dreaming' }],
    ['no result', { status: 'completed' }],
    ['a task as its result', { status: 'completed', result: TASK }],
    ['no error', { status: 'failed', error: 'x' }],
    ['another id', { taskId: 'other' }],
    [
      'too many input requests',
      {
        status: 'input_required',
        inputRequests: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, form])),
      },
    ],
    ['a key that is too long', { status: 'input_required', inputRequests: { ['k'.repeat(257)]: form } }],
    [
      'a request that no client answers',
      { status: 'input_required', inputRequests: { a: { method: 'tools/call' } } },
      'not a request that a client answers',
    ],
    [
      'a request that the client did not declare',
      { status: 'input_required', inputRequests: { a: { method: 'roots/list' } } },
      'requires roots/list, which the client did not declare',
    ],
  ])('is refused with %s', async (_name, wrong, text = 'malformed task') => {
    const { clock, call, sent } = await client({
      'tools/call': () => TASK,
      'tasks/get': () => ({ ...TASK, resultType: 'complete', ...wrong }),
      'tasks/cancel': () => ({}),
    });
    const done = caught(call(1));
    await clock.advance(1000);
    expect(await done).toMatchObject({ code: 'PROTOCOL_VIOLATION', delivery: 'unknown' });
    expect(String(await done)).toContain(text);
    expect(sent('tasks/cancel')).toBe(1);
  });

  it('is refused with more input requests than maxInputs over its life', async () => {
    let key = 0;
    const { clock, call, responses } = await client(
      {
        'tools/call': () => TASK,
        'tasks/get': () => ({
          ...TASK,
          resultType: 'complete',
          status: 'input_required',
          inputRequests: { [`k${key++}`]: form },
        }),
        'tasks/update': () => ({}),
      },
      { limits: { maxInputs: 2 } },
    );
    let done = caught(call(1));
    for (let round = 0; round < 2; round++) {
      await clock.advance(1000);
      await done;
      const asked = responses().at(-1);
      const { requestState } = (asked as { result: JSONRPCObject }).result;
      done = caught(call(round + 2, { requestState, inputResponses: { a: { action: 'decline' } } }));
    }
    await clock.advance(1000);
    expect(await done).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  });

  it('ends the call when it refuses an answer', async () => {
    const { clock, call, responses } = await client({
      'tools/call': () => TASK,
      'tasks/get': () => ({
        ...TASK,
        resultType: 'complete',
        status: 'input_required',
        inputRequests: { a: form },
      }),
      'tasks/update': () => {
        throw new RpcFailure(-32_602, 'Task has expired');
      },
    });
    const asked = call(1);
    await clock.advance(1000);
    await asked;
    const { requestState } = (responses()[0] as { result: JSONRPCObject }).result;
    const answered = call(2, { requestState, inputResponses: { a: { action: 'decline' } } });
    expect(await caught(answered)).toMatchObject({
      code: 'RPC_ERROR',
      delivery: 'unknown',
      details: { rpcCode: -32_602 },
    });
  });

  it('is refused when tools/call has a malformed task, or another method has any', async () => {
    const { call, transport, delivered } = await client({
      'tools/call': () => ({ ...TASK, taskId: 7 }),
      'prompts/get': () => TASK,
    });
    expect(await caught(call(1))).toMatchObject({ code: 'PROTOCOL_VIOLATION', delivery: 'unknown' });
    await transport.send({
      jsonrpc: '2.0',
      id: 2,
      method: 'prompts/get',
      params: { name: 'x', _meta: META },
    });
    expect(delivered.at(-1)).toMatchObject({ id: 2, error: { code: -32_600 } });
  });

  it('is shown cleaned and cut', async () => {
    const { clock, call, delivered } = await client({
      'tools/call': () => ({ ...TASK, statusMessage: `\u001b[2J\u202e${'m'.repeat(5000)}` }),
      'tasks/get': () => completed,
    });
    const done = call(1, { _meta: { ...META, progressToken: 'p' } });
    await clock.advance(1000);
    await done;
    const progress = delivered.find(
      (message) => 'method' in message && message.method === 'notifications/progress',
    );
    const message = String((progress as { params: JSONRPCObject }).params['message']);
    expect(message).toMatch(/^m+…$/);
    expect(message.length).toBe(1000);
  });

  it('cannot pretend to be a report of withTasks()', async () => {
    const { server, delivered } = await client({});
    const params = {
      taskId: 't',
      status: 'working',
      _meta: { 'com.mcp-fittings/task': { key: 'k' }, other: 1 },
    };
    await server.send({ jsonrpc: '2.0', method: 'notifications/tasks', params });
    await expect
      .poll(() => delivered)
      .toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/tasks',
          params: { taskId: 't', status: 'working', _meta: { other: 1 } },
        },
      ]);
  });
});

describe('the requests about a task', () => {
  it('have ids of their own, the metadata of the call and the declared extension, and no progress token', async () => {
    const { clock, call, server } = await client({ 'tools/call': () => TASK, 'tasks/get': () => completed });
    const done = call(1, {
      _meta: { ...META, progressToken: 1, traceparent: '00-a', 'com.mcp-fittings/task': { key: 'k' } },
    });
    await clock.advance(1000);
    await done;
    const [first, poll] = server.received;
    const clientCapabilities = {
      elicitation: { form: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    };
    const _meta = {
      ...META,
      'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
      traceparent: '00-a',
    };
    expect(first).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x', _meta: { ..._meta, progressToken: 1 } },
    });
    expect(poll).toEqual({
      jsonrpc: '2.0',
      id: expect.any(String),
      method: 'tasks/get',
      params: { taskId: 't1', _meta },
    });
  });

  it('cancel a task that is created after its call was canceled', async () => {
    const { wire, sent } = earlyWire();
    const delivered: JSONRPCMessage[] = [];
    const transport = withTasks(wire);
    transport.onmessage = (message) => void delivered.push(message);
    const params = { name: 'x', _meta: META };
    const call = transport.send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    await call;
    wire.onmessage?.({ jsonrpc: '2.0', id: 5, result: TASK });
    expect(delivered).toEqual([]);
    const messages = sent.map(({ message }) => message);
    expect(messages.map((message) => 'method' in message && message.method)).toEqual([
      'tools/call',
      'notifications/cancelled',
      'tasks/cancel',
    ]);
    const [, , cancel] = messages;
    wire.onmessage?.({
      jsonrpc: '2.0',
      id: (cancel as JSONRPCRequest).id,
      result: { resultType: 'complete' },
    });
    expect(delivered).toEqual([]);
  });

  it('have the headers of the call, without those that repeat its arguments; a second task for a call is ignored', async () => {
    const clock = createManualClock();
    const { wire, sent } = earlyWire();
    const transport = withTasks(wire, { clock });
    const headers = { 'x-tenant': 'ann', 'Mcp-Param-City': 'Rome' };
    const request = {
      jsonrpc: '2.0',
      id: 5,
      method: 'tools/call',
      params: { name: 'x', _meta: META },
    } as const;
    void transport.send(request, { headers });
    wire.onmessage?.({ jsonrpc: '2.0', id: 5, result: TASK });
    wire.onmessage?.({ jsonrpc: '2.0', id: 5, result: { ...TASK, taskId: 't2' } });
    await clock.advance(1000);
    expect(sent.map((each) => each.headers)).toEqual([headers, { 'x-tenant': 'ann' }]);
  });

  it('end after inputMs without an answer of the client: the task is canceled', async () => {
    const { clock, call, sent, responses } = await client(
      {
        'tools/call': () => TASK,
        'tasks/get': () => ({
          ...TASK,
          resultType: 'complete',
          status: 'input_required',
          inputRequests: {
            a: { method: 'elicitation/create', params: { message: 'x', requestedSchema: {} } },
          },
        }),
        'tasks/cancel': () => ({}),
      },
      { limits: { inputMs: 5000 } },
    );
    const done = call(1);
    await clock.advance(1000);
    await done;
    const { requestState } = (responses()[0] as { result: JSONRPCObject }).result;
    await clock.advance(5000);
    expect(sent('tasks/cancel')).toBe(1);
    // A late answer belongs to no task, and the server has to refuse it.
    void caught(call(2, { requestState, inputResponses: {} }));
    await clock.advance(0);
    expect(sent('tools/call')).toBe(2);
  });
});

/** Creates a transport like those of the SDKs, which resolve `send()` early and deliver late responses. */
function earlyWire() {
  const sent: { readonly message: JSONRPCMessage; readonly headers: unknown }[] = [];
  const wire = {
    onmessage: undefined as ((message: JSONRPCMessage) => void) | undefined,
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: JSONRPCMessage, options?: TransportSendOptions) =>
      void sent.push({ message, headers: options?.headers }),
  };
  return { wire, sent };
}
