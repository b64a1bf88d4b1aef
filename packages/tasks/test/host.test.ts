import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport, TransportPlugin } from '@mcp-fittings/client-core';
import { entrySchema } from '@mcp-fittings/toolbox/entries';
import { createHost, type ElicitationRequest, type Host, type ToolTask } from '@mcp-fittings/host';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
import {
  taskOwner,
  tasks,
  TASKS_EXTENSION,
  taskStore,
  type TaskStore,
  type TasksOptions,
} from '@mcp-fittings/tasks';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { http } from '@mcp-fittings/transport-http';
import { describe, expect, it } from 'vitest';
import { sdkServer } from './support/sdk-server.js';
import { createTaskBoard } from './support/task-board.js';
import { wireServer, type WireServer } from './support/wire-server.js';

const identity = { name: 'test', version: '1' };
const FAST: TasksOptions = { limits: { minPollMs: 1 } };
const text = (content: string) => [{ type: 'text', text: content }];

function httpHost(options: TasksOptions = FAST, asked: ElicitationRequest[] = []): Host {
  return createHost({
    ...identity,
    transports: [tasks(http(), options)],
    callbacks: {
      elicit: async (request) => {
        asked.push(request);
        return { action: 'accept', content: { name: request.message.startsWith('First') ? 'Ann' : 'Lee' } };
      },
    },
  });
}

/** A host with an entry `wire` whose connections are made by `connect`. */
function wireHost(connect: () => WireServer, delivery: 'reconnect' | 'retry' = 'reconnect'): Host {
  const plugin: TransportPlugin<object> = {
    specVersion: 1,
    type: 'wire',
    schema: entrySchema({}),
    create: (): Transport => connect().transport,
  };
  return createHost({ ...identity, transports: [tasks(plugin, FAST)], delivery });
}

describe('tasks in a host', () => {
  it('reports each task to its call and as an event, with progress, and resolves with the result', async () => {
    await using server = await sdkServer(createTaskBoard());
    await using host = httpHost();
    await host.connect({ studio: { type: 'http', url: server.url } });
    const events: ToolTask[] = [];
    host.on('task', (task) => void events.push(task));
    const calls = await Promise.all(
      ['render', 'render'].map(async (tool) => {
        const updates: ToolTask[] = [];
        const progress: number[] = [];
        const result = await host.callTool(
          { server: 'studio', tool },
          {},
          {
            task: { onUpdate: (task) => void updates.push(task) },
            onProgress: (each) => void progress.push(each.progress),
          },
        );
        return { updates, progress, result };
      }),
    );
    for (const { updates, progress, result } of calls) {
      expect(result.content).toEqual(text('rendered after 3 polls'));
      expect(updates.map(({ status, statusMessage }) => statusMessage ?? status)).toEqual([
        'working',
        'frame 1',
        'frame 2',
        'completed',
      ]);
      expect(updates[0]).toMatchObject({ server: 'studio', tool: 'render', ttlMs: 60_000 });
      expect(new Set(updates.map(({ taskId }) => taskId)).size).toBe(1);
      expect(progress).toEqual([1, 2, 3, 4]);
    }
    expect(calls[0]?.updates[0]?.taskId).not.toBe(calls[1]?.updates[0]?.taskId);
    expect(events).toHaveLength(8);
    await expect(
      // From JavaScript.
      host.callTool({ server: 'studio', tool: 'render' }, {}, { task: { resume: '' } }),
    ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('asks the user what a task asks, through the callbacks of the host', async () => {
    const asked: ElicitationRequest[] = [];
    await using server = await sdkServer(createTaskBoard());
    await using host = httpHost(FAST, asked);
    await host.connect({ studio: { type: 'http', url: server.url } });
    const { content } = await host.callTool({ server: 'studio', tool: 'greet' });
    expect(content).toEqual(text('hello Ann Lee'));
    expect(asked.map(({ message, mode }) => [mode, message])).toEqual([
      ['form', 'First name?'],
      ['form', 'Last name?'],
    ]);
    // The host has no callback for sampling, so the client has not declared it.
    await expect(host.callTool({ server: 'studio', tool: 'think' })).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
    });
  });

  it('cancels the task when the caller aborts the call', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    await using host = httpHost();
    await host.connect({ studio: { type: 'http', url: server.url } });
    const abort = new AbortController();
    const call = host.callTool({ server: 'studio', tool: 'forever' }, {}, { signal: abort.signal, task: {} });
    const rejected = expect(call).rejects.toMatchObject({ code: 'ABORTED', delivery: 'unknown' });
    await board.called('tasks/get', 2);
    abort.abort();
    await rejected;
    await board.called('tasks/cancel');
  });

  it('leaves a task alone with `keep`, so that it can be resumed, more than once', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const written: string[] = [];
    const kept = taskStore(memoryStore());
    const put: TaskStore['put'] = (owner, task) => {
      written.push(task.taskId);
      return kept.put(owner, task);
    };
    await using host = httpHost({ ...FAST, store: { ...kept, put } });
    await host.connect({ studio: { type: 'http', url: server.url } });
    const ref = { server: 'studio', tool: 'render' };
    const left = new AbortController();
    const created: ToolTask[] = [];
    const onUpdate = (task: ToolTask): void => {
      created.push(task);
      left.abort();
    };
    const call = host.callTool(ref, {}, { signal: left.signal, task: { keep: true, onUpdate } });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    const taskId = created[0]?.taskId;
    expect(created[0]).toMatchObject({ createdAt: '2026-07-28T10:00:00Z', pollIntervalMs: 5 });
    const resumed = await host.callTool(ref, {}, { task: { resume: taskId, keep: true } });
    expect(resumed.content).toEqual(text('rendered after 3 polls'));
    const again = await host.callTool(ref, {}, { task: { resume: taskId, keep: true } });
    expect(again.content).toEqual(text('rendered after 4 polls'));
    // Another program may resume it too, and newer tasks do not evict it.
    expect(written).toEqual([]);
    expect(board.asked).not.toContain('tasks/cancel');
    const wrong = { keep: 'yes' } as unknown as { keep: boolean };
    await expect(host.callTool(ref, {}, { task: wrong })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('does not cancel a kept task that it cannot read', async () => {
    const board = createTaskBoard({ scripts: { render: () => ({ status: 'unheard of' }) } });
    await using server = await sdkServer(board);
    await using host = httpHost();
    await host.connect({ studio: { type: 'http', url: server.url } });
    board.call('render', { extensions: { [TASKS_EXTENSION]: {} } });
    const [taskId] = board.tasks.keys();
    const ref = { server: 'studio', tool: 'render' };
    const read = (keep: boolean) => host.callTool(ref, {}, { task: { resume: taskId, keep } });
    await expect(read(true)).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    await expect(read(false)).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    await board.called('tasks/cancel');
    expect(board.asked.filter((method) => method !== 'tools/call')).toEqual([
      'tasks/get',
      'tasks/get',
      'tasks/cancel',
    ]);
  });

  it.each(['initialize', 'stateless'] as const)(
    'declares tasks in requests about them, which a program sends itself (%s)',
    async (era) => {
      const board = createTaskBoard();
      const taskId = String(
        board.call('forever', { extensions: { 'io.modelcontextprotocol/tasks': {} } })['taskId'],
      );
      await using host = wireHost(() => wireServer({ board, era }));
      await host.connect({ wire: { type: 'wire' } });
      const get = host.request({ server: 'wire', method: 'tasks/get' }, { taskId });
      expect(await get).toMatchObject({ taskId, status: 'working' });
    },
  );

  it('cancels the task after timeoutMs without progress', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    const clock = createManualClock();
    await using host = createHost({ ...identity, transports: [tasks(http(), FAST)], clock });
    await host.connect({ studio: { type: 'http', url: server.url } });
    const created = new Promise((resolve) => host.on('task', resolve));
    const call = host.callTool({ server: 'studio', tool: 'forever' }, {}, { timeoutMs: 100 });
    const rejected = expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
    await created;
    await clock.advance(100);
    await rejected;
    await board.called('tasks/cancel');
  });

  it.each(['memory', 'file'] as const)(
    'goes on polling in another host, with a %s store, and asks nothing twice',
    async (kind) => {
      const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
      const tokens = kind === 'memory' ? memoryStore() : fileStore({ path: folder, consent: () => true });
      const store: TaskStore = taskStore(tokens);
      const board = createTaskBoard({
        scripts: {
          greet: ({ answers, polls }) => {
            const ask = {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message: 'First name?',
                requestedSchema: { type: 'object', properties: {} },
              },
            };
            if (answers['first'] === undefined)
              return { status: 'input_required', inputRequests: { first: ask } };
            // The state lags behind the answer.
            if (!isReleased) return { status: 'input_required', inputRequests: { first: ask } };
            return { status: 'completed', result: { content: text(`done after ${polls > 0}`) } };
          },
        },
      });
      let isReleased = false;
      await using server = await sdkServer(board);
      const asked: ElicitationRequest[] = [];
      const options: TasksOptions = {
        ...FAST,
        store,
        ownerOf: (name, principal = 'ann') => `${name} for ${principal}`,
      };

      const first = httpHost(options, asked);
      await first.connect({ studio: { type: 'http', url: server.url } });
      const lost = first.callTool({ server: 'studio', tool: 'greet' }).catch((error: unknown) => error);
      await board.called('tasks/update');
      await board.called('tasks/get', 3);
      await first.close();
      expect(await lost).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown' });
      expect(board.asked).not.toContain('tasks/cancel');

      expect(await store.list('studio for bob')).toEqual([]);
      const [record] = await store.list('studio for ann');
      expect(record).toMatchObject({ tool: 'greet', answered: ['first'], ttlMs: 60_000 });
      const second = httpHost(options, asked);
      await second.connect({ studio: { type: 'http', url: server.url } });
      const task = { resume: record?.taskId };
      const polls = board.asked.filter((method) => method === 'tasks/get').length;
      const resumed = second.callTool({ server: 'studio', tool: 'greet' }, {}, { task });
      // It is told of the question again, before the server shows the answer.
      await board.called('tasks/get', polls + 2);
      isReleased = true;
      const { content } = await resumed;
      expect(content).toEqual(text('done after true'));
      expect(asked).toHaveLength(1);
      expect(board.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
      await second.close();
      expect(await store.list('studio for ann')).toEqual([]);
      await rm(folder, { recursive: true });
    },
  );

  it('keeps the tasks of fifty people apart, also after a restart', async () => {
    const people = Array.from({ length: 50 }, (_, index) => `person ${index}`);
    const store = taskStore(memoryStore());
    let isReleased = false;
    const board = createTaskBoard({
      scripts: {
        render: ({ taskId }) =>
          isReleased ? { status: 'completed', result: { content: text(taskId) } } : { status: 'working' },
      },
    });
    await using server = await sdkServer(board);
    const open = async (): Promise<Host> => {
      const host = httpHost({ limits: { minPollMs: 100 }, store });
      await host.connect({ studio: { type: 'http', url: server.url } });
      return host;
    };

    const first = await open();
    const created = new Map<string, string>();
    first.on('task', ({ principal = 'the host', taskId }) => {
      created.set(principal, taskId);
    });
    const lost = people.map((principal) =>
      first
        .callTool({ server: 'studio', tool: 'render' }, {}, { principal, task: {} })
        .catch((error: unknown) => error),
    );
    await expect.poll(() => created.size, { timeout: 30_000 }).toBe(people.length);
    expect([...created.keys()].toSorted()).toEqual(people.toSorted());
    expect(new Set(created.values()).size).toBe(people.length);
    await first.close();
    await Promise.all(lost);

    isReleased = true;
    await using second = await open();
    await Promise.all(
      people.map(async (principal) => {
        const records = await store.list(taskOwner('studio', principal));
        expect(records.map(({ taskId }) => taskId)).toEqual([created.get(principal)]);
        const task = { resume: records[0]?.taskId };
        const { content } = await second.callTool(
          { server: 'studio', tool: 'render' },
          {},
          { principal, task },
        );
        expect(content).toEqual(text(created.get(principal) ?? ''));
      }),
    );
    expect(board.asked.filter((method) => method === 'tools/call')).toHaveLength(people.length);
    expect(await store.list(taskOwner('studio'))).toEqual([]);
  });

  it('does not call the tool again when it resumes a task without tasks() around the transport', async () => {
    const board = createTaskBoard();
    await using server = await sdkServer(board);
    await using host = createHost({ ...identity, transports: [http()] });
    await host.connect({ studio: { type: 'http', url: server.url } });
    await expect(
      host.callTool({ server: 'studio', tool: 'render' }, {}, { task: { resume: 'task-1' } }),
    ).rejects.toMatchObject({ code: 'RPC_ERROR', details: { rpcCode: -32_601 } });
    expect(board.asked).toEqual([]);
  });

  it('resumes the task over the next connection with the delivery policy "retry", and calls once', async () => {
    const board = createTaskBoard({
      scripts: {
        render: ({ polls }) =>
          connections.length < 2 || polls < 3
            ? { status: 'working' }
            : { status: 'completed', result: { content: text('rendered') } },
      },
    });
    const connections: WireServer[] = [];
    const connect = (): WireServer => {
      const server = wireServer({
        board,
        era: 'initialize',
        answer: ({ method }) =>
          method === 'tools/list'
            ? { tools: [{ name: 'render', inputSchema: { type: 'object' } }] }
            : undefined,
      });
      connections.push(server);
      return server;
    };
    await using host = wireHost(connect, 'retry');
    await host.connect({ wire: { type: 'wire' } });
    const call = host.callTool({ server: 'wire', tool: 'render' }, {}, { task: {} });
    await board.called('tasks/get', 2);
    await connections[0]?.close();
    expect((await call).content).toEqual(text('rendered'));
    expect(connections).toHaveLength(2);
    expect(board.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
  });
});
