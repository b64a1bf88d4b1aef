import { EventEmitter, once } from 'node:events';
import { CallToolResultSchema as ResultV1 } from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Client, specTypeSchemas } from '@modelcontextprotocol/client';
import { memoryStore } from '@mcp-fittings/store-file';
import {
  RESUME_METHOD,
  taskOwner,
  TASKS_EXTENSION,
  taskStore,
  withTasks,
  type TaskRecord,
  type TaskStore,
  type WithTasksOptions,
} from '@mcp-fittings/tasks';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { describe, expect, it } from 'vitest';
import { sdkServer } from './support/sdk-server.js';
import { createTaskBoard, type TaskBoard } from './support/task-board.js';
import { wireServer } from './support/wire-server.js';

const identity = { name: 'test', version: '1' };
const FAST = { limits: { minPollMs: 1 } };
const text = (content: string) => [{ type: 'text', text: content }];
const record = (taskId: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  taskId,
  tool: 'render',
  since: 0,
  ttlMs: null,
  answered: [],
  ...more,
});

describe('a task of an earlier run', () => {
  it('is resumed by a client of SDK v2, its input requests included', async () => {
    const board = createTaskBoard();
    const { taskId } = board.call('greet', { extensions: { 'io.modelcontextprotocol/tasks': {} } });
    await using server = await sdkServer(board);
    const client = new Client(identity, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ann' } }));
    await client.connect(withTasks(createHttpTransport({ url: server.url }), FAST));
    const request = { method: RESUME_METHOD, params: { taskId } };
    const result = await client.request(request, specTypeSchemas.CallToolResult);
    expect(result).toMatchObject({ content: text('hello Ann Ann') });
    expect(server.requests.map(({ method }) => method)).not.toContain(RESUME_METHOD);
    expect(server.requests.map(({ method }) => method)).not.toContain('tools/call');
    await client.close();
  });

  it('is resumed by a client of SDK v1; an id that is not valid is refused', async () => {
    const board = createTaskBoard();
    const { taskId } = board.call('render', { extensions: { 'io.modelcontextprotocol/tasks': {} } });
    const server = wireServer({ board, era: 'initialize' });
    const client = new ClientV1(identity);
    await client.connect(withTasks(server.transport, FAST));
    const result = await client.request({ method: RESUME_METHOD, params: { taskId } }, ResultV1);
    expect(result.content).toEqual(text('rendered after 3 polls'));
    await expect(client.request({ method: RESUME_METHOD, params: {} }, ResultV1)).rejects.toMatchObject({
      code: -32_602,
    });
    await client.close();
  });

  it('does not depend on the store: a store that fails is reported, and the call succeeds', async () => {
    const board = createTaskBoard();
    const server = wireServer({ board, era: 'initialize' });
    const broken: TaskStore = {
      list: () => Promise.reject(new Error('list')),
      claim: () => Promise.reject(new Error('claim')),
      put: () => Promise.reject(new Error('put')),
      remove: () => Promise.reject(new Error('remove')),
    };
    const client = new ClientV1(identity);
    const errors: string[] = [];
    client.onerror = ({ message }) => void errors.push(message);
    await client.connect(withTasks(server.transport, { ...FAST, store: broken }));
    expect((await client.callTool({ name: 'render' })).content).toEqual(text('rendered after 3 polls'));
    await expect(
      client.request({ method: RESUME_METHOD, params: { taskId: 'task-render-1' } }, ResultV1),
    ).rejects.toThrow('claim');
    await client.close();
    expect(errors).toEqual(['put', 'remove']);
  });
});

/** A client of SDK v1 with a store, over a server of its own with the tasks of `board`. */
async function clientWith(board: TaskBoard, options: WithTasksOptions) {
  const server = wireServer({ board, era: 'initialize' });
  const client = new ClientV1(identity);
  await client.connect(withTasks(server.transport, { ...FAST, server: 'wire', ...options }));
  const resume = (taskId: string) =>
    client.request({ method: RESUME_METHOD, params: { taskId } }, ResultV1).then(
      ({ content }) => content,
      (error: unknown) => (error instanceof Error ? error.message : error),
    );
  return { client, server, resume, [Symbol.asyncDispose]: () => client.close() };
}

const declared = { extensions: { [TASKS_EXTENSION]: {} } };
/** A tool whose task ends when the test says so. */
function gatedBoard() {
  const gate = { isOpen: false };
  const board = createTaskBoard({
    scripts: {
      render: () =>
        gate.isOpen
          ? { status: 'completed', result: { content: text('rendered') } }
          : { status: 'working', statusMessage: 'at work' },
    },
  });
  return { board, gate };
}

describe('the store decides who resumes a task', () => {
  it.each([
    ['that it never had', 'wire', 'task-guessed'],
    ['of another server', 'other', 'task-render-1'],
  ])('not one with an id %s', async (_what, server, taskId) => {
    const board = createTaskBoard();
    const store = taskStore(memoryStore());
    board.call('render', declared);
    await store.put(taskOwner(server), record('task-render-1', { since: Date.now() }));
    await using host = await clientWith(board, { store });
    expect(await host.resume(taskId)).toContain('No task with this id is stored for the server "wire"');
    expect(board.asked).not.toContain('tasks/get');
  });

  it('not one whose result was read', async () => {
    const board = createTaskBoard();
    const store = taskStore(memoryStore());
    const { taskId } = board.call('render', declared);
    await store.put(taskOwner('wire'), record(String(taskId), { since: Date.now() }));
    await using host = await clientWith(board, { store });
    expect(await host.resume(String(taskId))).toEqual(text('rendered after 3 polls'));
    expect(await host.resume(String(taskId))).toContain('No task with this id');
  });

  it('of two at once over one connection, one, with a store and without', async () => {
    for (const store of [taskStore(memoryStore()), undefined]) {
      const board = createTaskBoard();
      const taskId = String(board.call('render', declared)['taskId']);
      await store?.put(taskOwner('wire'), record(taskId, { since: Date.now() }));
      await using host = await clientWith(board, { store });
      expect(await Promise.all([host.resume(taskId), host.resume(taskId)])).toEqual([
        text('rendered after 3 polls'),
        expect.stringContaining('is polled already'),
      ]);
    }
  });

  it('of two programs that share it, one: the other waits until it would be free, and is refused', async () => {
    const clock = createManualClock({ now: 1000 });
    const tokens = memoryStore();
    const { board, gate } = gatedBoard();
    const taskId = String(board.call('render', declared)['taskId']);
    await taskStore(tokens, { clock }).put(taskOwner('wire'), record(taskId, { since: 1000 }));
    const options = () => ({ clock, store: taskStore(tokens, { clock }), limits: { minPollMs: 1000 } });
    await using first = await clientWith(board, options());
    await using second = await clientWith(board, options());
    const results = [first.resume(taskId), second.resume(taskId)];
    // The first one goes on polling, and so extends the time.
    for (let second = 0; second < 31; second++) await clock.advance(1000);
    expect(await results[1]).toContain('Another program polls the task');
    gate.isOpen = true;
    await clock.advance(60_000);
    expect(await results[0]).toEqual(text('rendered'));
  });

  it('of a program that was killed, another one, when its time has passed', async () => {
    const clock = createManualClock({ now: 1000 });
    const store = taskStore(memoryStore(), { clock });
    const { board, gate } = gatedBoard();
    gate.isOpen = true;
    const taskId = String(board.call('render', declared)['taskId']);
    await store.put(taskOwner('wire'), record(taskId, { since: 1000, heldUntil: 21_000 }));
    await using host = await clientWith(board, { clock, store });
    const result = host.resume(taskId);
    await clock.advance(19_999);
    expect(board.asked).not.toContain('tasks/get');
    await clock.advance(1);
    await clock.advance(1000);
    expect(await result).toEqual(text('rendered'));
  });

  it('of a program that has closed its client, another one at once', async () => {
    const store = taskStore(memoryStore());
    const { board, gate } = gatedBoard();
    const first = await clientWith(board, { store });
    const lost = first.client.callTool({ name: 'render' }).catch(() => undefined);
    await board.called('tasks/get');
    await first.client.close();
    await lost;
    gate.isOpen = true;
    const [stored] = await store.list(taskOwner('wire'));
    expect(stored?.heldUntil).toBeUndefined();
    await using second = await clientWith(board, { store });
    expect(await second.resume(stored?.taskId ?? '')).toEqual(text('rendered'));
  });
});

/** A store whose writes wait until the test lets them go on. */
function slowStore() {
  const inner = taskStore(memoryStore());
  const waiting: (() => void)[] = [];
  const begun = new EventEmitter();
  const slow = async (what: string): Promise<void> => {
    const free = new Promise<void>((resolve) => waiting.push(resolve));
    begun.emit(what);
    await free;
  };
  const store: TaskStore = {
    ...inner,
    async put(owner, task) {
      await slow('put');
      await inner.put(owner, task);
    },
    async remove(owner, taskId) {
      await slow('remove');
      await inner.remove(owner, taskId);
    },
  };
  return { store, begun, next: () => waiting.shift()?.() };
}

describe('the records of a client that is closed or killed', () => {
  it('are written before the client hears of a task, and before it is polled', async () => {
    const board = createTaskBoard();
    const { store, begun, next } = slowStore();
    const heard: string[] = [];
    const begins = once(begun, 'put');
    await using host = await clientWith(board, { store, onTask: ({ status }) => void heard.push(status) });
    const result = host.client.callTool({ name: 'render' });
    await begins;
    expect([heard, board.asked]).toEqual([[], ['tools/call']]);
    const removal = once(begun, 'remove');
    next();
    expect((await result).content).toEqual(text('rendered after 3 polls'));
    await removal;
    next();
  });

  it('are removed when close() resolves, if the result was delivered', async () => {
    const board = createTaskBoard();
    const { store, begun, next } = slowStore();
    const host = await clientWith(board, { store });
    const begins = once(begun, 'put');
    const result = host.client.callTool({ name: 'render' });
    await begins;
    const removal = once(begun, 'remove');
    next();
    await result;
    await removal;
    expect(await store.list(taskOwner('wire'))).toHaveLength(1);
    let isClosed = false;
    const closing = host.client.close().then(() => (isClosed = true));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    next();
    await closing;
    expect(await store.list(taskOwner('wire'))).toEqual([]);
  });
});

it('refuses a second task with the id of one that is polled', async () => {
  const { board, gate } = gatedBoard();
  const store = taskStore(memoryStore());
  const server = wireServer({
    board,
    era: 'initialize',
    answer: ({ method }) =>
      method === 'tools/call' && board.tasks.size > 0
        ? { resultType: 'task', taskId: [...board.tasks.keys()][0], status: 'working', ttlMs: null }
        : undefined,
  });
  const client = new ClientV1(identity);
  await client.connect(withTasks(server.transport, { ...FAST, store }));
  const first = client.callTool({ name: 'render' });
  await board.called('tasks/get');
  await expect(client.callTool({ name: 'render' })).rejects.toMatchObject({
    code: 'PROTOCOL_VIOLATION',
    message: expect.stringContaining('"taskId" is that of another call'),
  });
  gate.isOpen = true;
  expect((await first).content).toEqual(text('rendered'));
  await client.close();
});

describe('taskStore', () => {
  it('keeps the tasks of each owner apart, bounded, and forgets those whose time to live is over', async () => {
    const clock = createManualClock({ now: 1000 });
    const store = taskStore(memoryStore(), { clock, maxTasks: 2 });
    await Promise.all(['a', 'b', 'c'].map((id) => store.put('ann', record(id, { since: 1000 }))));
    expect((await store.list('ann')).map(({ taskId }) => taskId)).toEqual(['b', 'c']);
    expect(await store.list('bob')).toEqual([]);
    await store.put('ann', record('b', { since: 1000, ttlMs: 5000, answered: ['k'] }));
    expect((await store.list('ann')).at(-1)).toMatchObject({ taskId: 'b', answered: ['k'] });
    await clock.advance(5001);
    expect((await store.list('ann')).map(({ taskId }) => taskId)).toEqual(['c']);
    await store.remove('ann', 'c');
    expect(await store.list('ann')).toEqual([]);
  });

  it('ignores what is not a record', async () => {
    const tokens = memoryStore();
    await tokens.set('mcp-tasks:ann', {
      tasks: [
        null,
        { taskId: 7 },
        record('x'.repeat(2000)),
        record('ok'),
        { ...record('no'), answered: [1] },
        { ...record('longest'), answered: ['k'.repeat(1024)] },
        { ...record('too long'), answered: ['k'.repeat(1025)] },
      ],
    });
    const store = taskStore(tokens, { clock: createManualClock() });
    expect((await store.list('ann')).map(({ taskId }) => taskId)).toEqual(['ok', 'longest']);
    await tokens.set('mcp-tasks:ann', { tasks: 'none' });
    expect(await store.list('ann')).toEqual([]);
  });
});
