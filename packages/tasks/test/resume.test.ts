import { CallToolResultSchema as ResultV1 } from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Client, specTypeSchemas } from '@modelcontextprotocol/client';
import { memoryStore } from '@mcp-fittings/store-file';
import { RESUME_METHOD, taskStore, withTasks, type TaskRecord, type TaskStore } from '@mcp-fittings/tasks';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { describe, expect, it } from 'vitest';
import { sdkServer } from './support/sdk-server.js';
import { createTaskBoard } from './support/task-board.js';
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
      put: () => Promise.reject(new Error('put')),
      remove: () => Promise.reject(new Error('remove')),
    };
    const client = new ClientV1(identity);
    const errors: string[] = [];
    client.onerror = ({ message }) => void errors.push(message);
    await client.connect(withTasks(server.transport, { ...FAST, store: broken }));
    expect((await client.callTool({ name: 'render' })).content).toEqual(text('rendered after 3 polls'));
    await expect.poll(() => errors).toEqual(['put', 'remove']);
    await client.close();
  });
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
      ],
    });
    const store = taskStore(tokens, { clock: createManualClock() });
    expect((await store.list('ann')).map(({ taskId }) => taskId)).toEqual(['ok']);
    await tokens.set('mcp-tasks:ann', { tasks: 'none' });
    expect(await store.list('ann')).toEqual([]);
  });
});
