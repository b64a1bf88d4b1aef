import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCObject, SharedState } from '@mcp-fittings/client-core';
import type { Interceptor } from '@mcp-fittings/host';
import { withTasks } from '@mcp-fittings/tasks';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { META } from '@mcp-fittings/toolbox/messages';
import type { ToolPolicy } from '@mcp-fittings/tools';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { sdkServer } from '../../../tasks/test/support/sdk-server.js';
import { createTaskBoard, type Script, type TaskBoard } from '../../../tasks/test/support/task-board.js';
import { createSurface } from '../../src/surface/create-surface.js';
import { createMemoryState } from '../../src/state/memory-state.js';
import { bearer, create, FAST, post, requestOf, startReplica, TASKS } from '../support/task-replica.js';

const ALL = { ...TASKS, elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const FALLBACK = { content: [{ type: 'text' as const, text: 'fallback' }] };

const working: Script = () => ({ status: 'working' });

type Options = Parameters<typeof startReplica> extends [string, ...infer Rest] ? Rest : [];

/** A server whose tool `render` becomes a task with this state, and a gateway over it. */
async function start(render: Script, ...more: Options) {
  const board = createTaskBoard({ scripts: { render } });
  return open(board, ...more);
}

async function open(board: TaskBoard, ...more: Options) {
  const server = await sdkServer(board);
  const replica = await startReplica(server.url, ...more);
  return {
    ...replica,
    board,
    async [Symbol.asyncDispose]() {
      await replica[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const asking = (inputRequests: unknown): JSONRPCObject => ({ status: 'input_required', inputRequests });
const page = (url: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Open', url },
});
const form = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

describe('the state of a task', () => {
  it.each<[string, JSONRPCObject]>([
    ['an unknown status', { status: 'exploded' }],
    ['the id of another task', { status: 'working', taskId: 'other' }],
    ['a failure without an error', { status: 'failed', error: 'burns' }],
    ['questions in a list', asking([])],
    ['a question that is a number', asking({ first: 5 })],
    ['a question that no client answers', asking({ first: { method: 'tools/call', params: {} } })],
    [
      'too many questions',
      asking(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, page('https://a.example')]))),
    ],
    ['a page that is a script', asking({ first: page('javascript:alert(1)') })],
    [
      'an elicitation without a form',
      asking({ first: { method: 'elicitation/create', params: { mode: 'form' } } }),
    ],
  ])('is refused with %s', async (_what, state) => {
    await using world = await start(() => state);
    const taskId = await create(world.url, 'studio__render');
    const { error } = await post(world.url, 'tasks/get', { taskId }, { capabilities: ALL });
    expect(error).toMatchObject({ data: { code: 'PROTOCOL_VIOLATION' } });
  });

  it('has what the specification has, within bounds', async () => {
    const odd = {
      statusMessage: `\u202E${'x'.repeat(3000)}`,
      createdAt: 5,
      pollIntervalMs: 'soon',
      constructor: 1,
    };
    const asked = { method: 'elicitation/create', params: { ...form, extra: 1 } };
    const inputRequests = { first: asked, last: { method: 'roots/list', params: { extra: 1 } } };
    await using world = await start(() => ({ status: 'input_required', ...odd, inputRequests }));
    const taskId = await create(world.url, 'studio__render');
    const { result } = await post(world.url, 'tasks/get', { taskId }, { capabilities: ALL });
    expect(result).toEqual({
      resultType: 'complete',
      taskId,
      status: 'input_required',
      statusMessage: expect.stringMatching(/^x{900,1000}/),
      lastUpdatedAt: '2026-07-28T10:00:01Z',
      ttlMs: 60_000,
      inputRequests: {
        first: { method: 'elicitation/create', params: form },
        last: { method: 'roots/list' },
      },
      _meta: expect.anything(),
    });
  });

  it.each([
    [{ sampling: false }, { method: 'sampling/createMessage', params: {} }, 'CAPABILITY_MISSING'],
    [{ roots: false }, { method: 'roots/list' }, 'CAPABILITY_MISSING'],
    [{ elicitationModes: ['form'] }, page('https://a.example'), 'PROTOCOL_VIOLATION'],
  ] as const)(
    'has no question that the options of the gateway exclude: %j',
    async (router, question, code) => {
      await using world = await start(() => asking({ first: question }), {}, { router });
      const taskId = await create(world.url, 'studio__render');
      const { error } = await post(world.url, 'tasks/get', { taskId }, { capabilities: ALL });
      expect(error).toMatchObject({ data: { code } });
    },
  );
});

describe('a task', () => {
  it('is passed on also if an interceptor answers for the call that created it', async () => {
    const intercept: Interceptor = { callTool: (request, next) => next(request).catch(() => FALLBACK) };
    await using world = await start(working, {}, { intercept: [intercept] });
    const taskId = await create(world.url, 'studio__render');
    expect((await post(world.url, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
  });

  it('is canceled if its client leaves before it knows of it', async () => {
    const client = new AbortController();
    const intercept: Interceptor = {
      async callTool(request, next) {
        try {
          return await next(request);
        } finally {
          client.abort();
        }
      },
    };
    await using world = await start(working, {}, { intercept: [intercept] });
    const { host, board } = world;
    const surface = createSurface({ host });
    const answered = surface.answer({
      caller: { id: 'ann' },
      mount: {},
      era: 'modern',
      id: 1,
      method: 'tools/call',
      params: { name: 'studio__render', _meta: { [META.clientCapabilities]: TASKS } },
      client: {},
      controller: client,
      notify: () => undefined,
    });
    await expect(answered).rejects.toMatchObject({ data: { code: 'ABORTED' } });
    await surface.close();
    await board.called('tasks/cancel');
    expect([...board.tasks.values()]).toMatchObject([{ cancelled: true }]);
  });

  it('can be canceled also once the policy denies its tool', async () => {
    let decision: 'pass-through' | 'deny' = 'pass-through';
    const verdict = () => ({ decision, reason: 'no more' });
    const policy = { forTool: verdict, forResource: verdict } as unknown as ToolPolicy;
    await using world = await start(working, { policy });
    const taskId = await create(world.url, 'studio__render');
    decision = 'deny';
    expect((await post(world.url, 'tasks/get', { taskId })).error).toMatchObject({
      data: { code: 'POLICY_DENIED' },
    });
    expect((await post(world.url, 'tasks/cancel', { taskId })).result).toMatchObject({
      resultType: 'complete',
    });
    expect([...world.board.tasks.values()]).toMatchObject([{ cancelled: true }]);
  });

  it('is unknown to another server of the same name', async () => {
    const board = createTaskBoard();
    await using other = await sdkServer(board);
    await using world = await start(working);
    const taskId = await create(world.url, 'studio__render');
    await world.host.connect({ studio: { type: 'http', url: other.url } });
    expect((await post(world.url, 'tasks/get', { taskId })).error).toMatchObject({ message: 'Unknown task' });
    expect(board.asked).toEqual([]);
  });

  it('is polled by the host if its id would be too long for a client', async () => {
    const board = createTaskBoard();
    const call: TaskBoard['call'] = (tool, capabilities) => {
      const made = board.call(tool, capabilities);
      const taskId = `${String(made['taskId'])}${'x'.repeat(800)}`;
      const task = board.tasks.get(String(made['taskId']));
      if (task !== undefined) board.tasks.set(taskId, { ...task, taskId });
      return { ...made, taskId };
    };
    await using world = await open({ ...board, call });
    const transport = createHttpTransport({ url: world.url, headers: bearer('ann') });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(withTasks(transport, FAST));
    const { content } = await client.callTool({ name: 'studio__render' });
    expect(content).toEqual([{ type: 'text', text: 'rendered after 3 polls' }]);
    await client.close();
  });

  it('that is not completed any more is not polled without end, nor after its clients have left', async () => {
    const clock = createManualClock();
    let polls = 0;
    const script: Script = () =>
      polls++ === 0 ? { status: 'completed', result: FALLBACK } : { status: 'working' };
    await using world = await start(script, { clock, keepAliveMs: 0 });
    const { url, board } = world;
    const taskId = await create(url, 'studio__render');
    const got = post(url, 'tasks/get', { taskId });
    await board.called('tasks/get', 3);
    await clock.advance(30_000);
    expect((await got).error).toMatchObject({ data: { code: 'TIMEOUT' } });
    polls = 0;
    const client = new AbortController();
    const left = fetch(url, { ...requestOf('tasks/get', { taskId }), signal: client.signal });
    await board.called('tasks/get', board.asked.length + 3);
    client.abort();
    await expect(left).rejects.toThrow();
    const pollsInAWhile = async () => {
      const before = polls;
      await sleep(100);
      return polls - before;
    };
    await expect.poll(pollsInAWhile, { timeout: 30_000 }).toBe(0);
    expect(board.asked).not.toContain('tasks/cancel');
  });

  it('of an invented id does not make the gateway read the state each time', async () => {
    const clock = createManualClock();
    const state = createMemoryState();
    let reads = 0;
    const counting: SharedState = { ...state, get: (key) => (reads++, state.get(key)) };
    await using world = await start(working, { clock, state: counting });
    const invent = async (id: string) =>
      expect((await post(world.url, 'tasks/get', { taskId: id })).error).toMatchObject({
        message: 'Unknown task',
      });
    const invented = Array.from({ length: 5 }, (_, i) => `${'A'.repeat(200)}${i}`);
    for (const id of invented) await invent(id);
    const first = reads;
    await clock.advance(1000);
    await Promise.all(['A'.repeat(1025), ...invented].map(invent));
    expect({ first, then: reads - first }).toEqual({ first: 2, then: 1 });
  });

  it('is known to a replica that has not read the key, also to requests at once and after the state has failed', async () => {
    const clock = createManualClock();
    const shared = createMemoryState({ clock });
    let isAway = true;
    const away = () => Promise.reject(new Error('away'));
    const state: SharedState = { ...shared, get: (key) => (isAway ? away() : shared.get(key)) };
    const board = createTaskBoard({ scripts: { render: working } });
    await using server = await sdkServer(board);
    await using one = await startReplica(server.url, { clock, state: shared });
    await using two = await startReplica(server.url, { clock, state });
    const taskId = await create(one.url, 'studio__render');
    const get = () => post(two.url, 'tasks/get', { taskId });
    // An outage does not make the client believe that its task has ended.
    for (const { error } of [await get(), await get()]) expect(error).toMatchObject({ code: -32_603 });
    isAway = false;
    await clock.advance(5000);
    const answers = await Promise.all([get(), get(), get()]);
    expect(answers.map(({ result }) => result?.['status'])).toEqual(['working', 'working', 'working']);
  });

  it('is not offered for some seconds after the state has failed, which delays no call then', async () => {
    const clock = createManualClock();
    let reads = 0;
    const get = () => Promise.reject(new Error(`away ${++reads}`));
    await using world = await start(() => ({ status: 'completed', result: FALLBACK }), {
      clock,
      state: { ...createMemoryState(), get },
    });
    const call = async () =>
      expect((await post(world.url, 'tools/call', { name: 'studio__render' })).result).toMatchObject(
        FALLBACK,
      );
    await call();
    await call();
    expect(reads).toBe(1);
    await clock.advance(5000);
    await call();
    expect(reads).toBe(2);
  });
});
