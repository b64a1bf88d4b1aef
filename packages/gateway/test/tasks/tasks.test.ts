import { withTasks, type WithTasksOptions } from '@mcp-fittings/tasks';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import { sdkServer } from '../../../tasks/test/support/sdk-server.js';
import { createTaskBoard, SCRIPTS, type TaskBoard } from '../../../tasks/test/support/task-board.js';
import type { GatewayOptions } from '../../src/contracts/gateway-options.js';
import { createMemoryState } from '../../src/state/memory-state.js';
import { bearer, create, FAST, post, startReplica, TASKS } from '../support/task-replica.js';

const identity = { name: 'test', version: '1' };
const text = (content: string) => [{ type: 'text', text: content }];

/** One server, and as many gateways over it as replicas of one. */
async function start(board: TaskBoard, count = 1, options: GatewayOptions = {}) {
  const server = await sdkServer(board);
  const state = count > 1 ? createMemoryState() : undefined;
  const starting = Array.from({ length: count }, () => startReplica(server.url, { state, ...options }));
  const replicas = await Promise.all(starting);
  return {
    replicas,
    url: replicas[0]?.url ?? '',
    async [Symbol.asyncDispose]() {
      await Promise.all(replicas.map((each) => each[Symbol.asyncDispose]()));
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A client of SDK v2 that answers questions. */
function clientV2(): Client {
  const client = new Client(identity, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: 'auto' },
  });
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: { name: params.message.startsWith('First') ? 'Ann' : 'Lee' },
  }));
  return client;
}

describe('a client of a gateway that declares tasks', () => {
  it.each([
    ['our transport', (url: string) => createHttpTransport({ url, headers: bearer('ann') })],
    [
      'the transport of the SDK',
      (url: string) =>
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer('ann') } }),
    ],
  ] as const)('polls the tasks of servers, with %s', async (_name, open) => {
    const board = createTaskBoard();
    await using world = await start(board);
    const client = clientV2();
    const created: string[] = [];
    const onTask: WithTasksOptions['onTask'] = ({ taskId }) => void created.push(taskId);
    await client.connect(withTasks(open(world.url), { ...FAST, onTask }));
    expect(client.getServerCapabilities()).toMatchObject(TASKS);
    expect((await client.callTool({ name: 'studio__quick' })).content).toEqual(text('at once'));
    const rendered = await client.callTool({ name: 'studio__render' });
    // The last poll sees that the task is completed, and the host reads its result.
    expect(rendered.content).toEqual(text('rendered after 4 polls'));
    expect(board.asked.filter((method) => method === 'tasks/get')).toHaveLength(4);
    expect(created.every((id) => !id.includes('task-'))).toBe(true);
    const failing = await client.callTool({ name: 'studio__tool-error' });
    expect(failing).toMatchObject({ isError: true, content: text('no paper') });
    await expect(client.callTool({ name: 'studio__fail' })).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining('the printer burns'),
      data: { at: 'tray' },
    });
    const { content } = await client.callTool({ name: 'studio__greet' });
    expect(content).toEqual(text('hello Ann Lee'));
    expect(board.asked).not.toContain('tasks/cancel');
    await client.close();
  });

  it('may be the host of another gateway, whose client polls too', async () => {
    const board = createTaskBoard();
    await using world = await start(board);
    await using outer = await startReplica(world.url, {}, { headers: bearer('ann') });
    const name = 'studio__studio__render';
    const taskId = await create(outer.url, name);
    const get = async () => (await post(outer.url, 'tasks/get', { taskId })).result;
    expect([await get(), await get()]).toMatchObject([{ status: 'working' }, { status: 'working' }]);
    expect(await get()).toMatchObject({
      status: 'completed',
      result: { content: text('rendered after 6 polls') },
    });
    const { result } = await post(outer.url, 'tools/call', { name, arguments: {} }, { capabilities: {} });
    expect(result).toMatchObject({ content: text('rendered after 4 polls') });
    expect(board.asked.filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  it('cancels the task at its server', async () => {
    const board = createTaskBoard();
    await using world = await start(board);
    const client = clientV2();
    await client.connect(withTasks(createHttpTransport({ url: world.url, headers: bearer('ann') }), FAST));
    const abort = new AbortController();
    const call = client.callTool({ name: 'studio__forever' }, { signal: abort.signal });
    const rejected = expect(call).rejects.toThrow();
    await board.called('tasks/get', 2);
    abort.abort();
    await rejected;
    await board.called('tasks/cancel');
    expect([...board.tasks.values()]).toMatchObject([{ tool: 'forever', cancelled: true }]);
    await client.close();
  });

  it('continues its task at another replica, after that of its call has ended', async () => {
    const board = createTaskBoard();
    await using world = await start(board, 2);
    const [first, second] = world.replicas;
    const id = await create(String(first?.url), 'studio__greet');
    await first?.[Symbol.asyncDispose]();
    const url = String(second?.url);
    const capabilities = { ...TASKS, elicitation: { form: {} } };
    const ask = (method: string, more = {}) => post(url, method, { taskId: id, ...more }, { capabilities });
    expect((await ask('tasks/get')).result).toMatchObject({ taskId: id, status: 'working' });
    const asking = await ask('tasks/get');
    expect(asking.result).toMatchObject({ status: 'input_required', inputRequests: { first: {} } });
    const name = (value: string) => ({ action: 'accept', content: { name: value } });
    const inputResponses = { first: name('Eva'), last: name('Lee') };
    expect((await ask('tasks/update', { inputResponses })).result).toMatchObject({ resultType: 'complete' });
    // A client whose connection was lost asks again, and gets the same.
    for (const { result } of await Promise.all(Array.from({ length: 10 }, () => ask('tasks/get'))))
      expect(result).toMatchObject({ status: 'completed', result: { content: text('hello Eva Lee') } });
    expect(board.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('continues new tasks at every replica after the state has lost its data', async () => {
    const state = createMemoryState();
    await using world = await start(createTaskBoard(), 2, { state });
    const [first = '', second = ''] = world.replicas.map(({ url }) => url);
    const before = await create(first, 'studio__forever');
    await state.delete('task-key');
    const [one, two] = await Promise.all([
      create(first, 'studio__forever'),
      create(second, 'studio__forever'),
    ]);
    expect((await post(second, 'tasks/get', { taskId: one })).result).toMatchObject({ taskId: one });
    expect((await post(first, 'tasks/get', { taskId: two })).result).toMatchObject({ taskId: two });
    expect((await post(first, 'tasks/get', { taskId: before })).error).toMatchObject({ code: -32_602 });
  });

  it('is told which capability it lacks for a question of the task', async () => {
    await using world = await start(createTaskBoard());
    const taskId = await create(world.url, 'studio__think');
    expect((await post(world.url, 'tasks/get', { taskId })).error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  it('knows no task of another caller, at another address, or of a tool that it may not use any more', async () => {
    const board = createTaskBoard();
    await using world = await start(board, 2);
    const url = world.replicas[1]?.url ?? '';
    const taskId = await create(world.url, 'studio__forever');
    const changed = `${taskId.slice(0, 5)}${taskId[5] === 'A' ? 'B' : 'A'}${taskId.slice(6)}`;
    const short = taskId.slice(0, 30);
    const unknown = (await post(url, 'tasks/get', { taskId: 'unknown' })).error;
    expect(unknown).toMatchObject({ code: -32_602, message: 'Unknown task' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const answers = await Promise.all([
        post(url, method, { taskId }, { token: 'bob' }),
        post(url, method, { taskId }, { token: 'ann-restricted' }),
        post(`${url}/studio`, method, { taskId }),
        post(url, method, { taskId: changed }),
        post(url, method, { taskId: short }),
        post(url, method, { taskId: '' }),
        post(url, method, { taskId: 'task-forever-1' }),
      ]);
      expect(answers.map(({ error }) => error)).toEqual(answers.map(() => unknown));
    }
    expect(board.asked.filter((method) => method.startsWith('tasks/'))).toEqual([]);
    expect((await post(url, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
  });

  it('counts against the rate limits with each poll, and is observed', async () => {
    const observed: string[] = [];
    await using world = await start(createTaskBoard(), 1, {
      rateLimits: [{ per: 'principal', requests: 2, intervalMs: 60_000 }],
      observe: ({ method, server, target }) => void observed.push(`${method} ${server} ${target}`),
    });
    const taskId = await create(world.url, 'studio__forever');
    expect((await post(world.url, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
    const { error } = await post(world.url, 'tasks/get', { taskId });
    expect(error).toMatchObject({ data: { code: 'RATE_LIMITED' } });
    expect(observed).toEqual([
      'tools/call studio forever',
      'tasks/get studio forever',
      'tasks/get studio forever',
    ]);
  });

  it('waits for the result while the replicas cannot agree on a key', async () => {
    const state = createMemoryState();
    const away = { ...state, set: () => Promise.reject(new Error('away')) };
    await using world = await start(createTaskBoard(), 1, { state: away });
    const { result } = await post(world.url, 'tools/call', { name: 'studio__render', arguments: {} });
    expect(result).toMatchObject({ content: text('rendered after 3 polls') });
  });
});

describe('a client of a gateway that does not declare tasks', () => {
  it.each(['v1', 'v2'] as const)('waits for the result, with SDK %s', async (version) => {
    const board = createTaskBoard({ scripts: SCRIPTS });
    await using world = await start(board);
    const transport = createHttpTransport({ url: world.url, headers: bearer('ann') });
    const client = version === 'v1' ? new ClientV1(identity) : clientV2();
    await (client as Client).connect(transport);
    expect((await (client as Client).callTool({ name: 'studio__render' })).content).toEqual(
      text('rendered after 3 polls'),
    );
    const taskId = [...board.tasks.keys()][0];
    if (version === 'v1') {
      await expect(
        (client as Client).request({ method: 'tasks/get', params: { taskId } } as never, {} as never),
      ).rejects.toMatchObject({ code: -32_601 });
    }
    await client.close();
  });
});
