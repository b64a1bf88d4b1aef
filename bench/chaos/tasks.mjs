/**
 * Calls that a server answers with tasks, behind a proxy that cuts, while the host is closed and made again: what its store
 * remembers is answered after the restart, once.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createHost } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { taskOwner, tasks, taskStore } from '@mcp-fittings/tasks';
import { http } from '@mcp-fittings/transport-http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createFaultyProxy } from './faulty-proxy.mjs';
import { judge } from './judge.mjs';

const WORKERS = 12;
const UNSETTLED_MS = 60_000;
const FAULTS = 0.01;
const RESTARTS = 0.005;

/**
 * Makes the calls, and judges what was said of each. A task that the host had reported and that no one answered counts as untruthful.
 * @param {number} calls @param {() => number} random
 */
export async function runTasks(calls, random) {
  const started = performance.now();
  const executed = new Map();
  const server = await startTaskServer((id) => void executed.set(id, (executed.get(id) ?? 0) + 1), random);
  const proxy = await createFaultyProxy(() => server.port);
  const world = new TaskHost(`http://127.0.0.1:${proxy.port}/mcp`, server.callOf);
  await world.open();
  let next = 0;
  let faults = 0;
  const worker = async () => {
    while (next < calls) {
      const id = `tasks-${next++}`;
      if (random() < FAULTS) {
        faults++;
        [() => proxy.cut(), () => proxy.stall(100), () => proxy.refuse(100)][Math.floor(random() * 3)]();
      }
      if (random() < RESTARTS) {
        faults++;
        await world.restart();
      }
      await world.call(id);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  await world.restart();
  const told = world.verdicts();
  await world.close();
  proxy.close();
  server.close();
  const seconds = Math.round((performance.now() - started) / 1000);
  return { ...judge(told, executed), calls, faults, seconds };
}

/** A host with a store of tasks, what it said of each call, and a graceful restart that answers what is left. */
class TaskHost {
  #url;
  #store = taskStore(memoryStore());
  #host;
  /** Ends when the restart under way has ended. */
  #ready = Promise.resolve();
  /** What was said of each call: its outcomes, in order. */
  #told = new Map();
  /** Ids of calls whose task the host reported. */
  #known = new Set();
  #callOf;
  #closed = new Set();

  /** @param {string} url @param {(taskId: string) => string} callOf returns the id of the call that became a task */
  constructor(url, callOf) {
    this.#url = url;
    this.#callOf = callOf;
  }

  async open() {
    const transports = [tasks(http(), { store: this.#store, limits: { minPollMs: 5 } })];
    this.#host = createHost({ name: 'chaos', version: '1.0.0', transports, limits: { connectMs: 10_000 } });
    this.#host.on('error', () => undefined);
    await this.#host.connect({ chaos: { type: 'http', url: this.#url } });
  }

  async call(id) {
    await this.#ready;
    const task = { onUpdate: () => void this.#known.add(id) };
    await this.#ask(id, { id }, { task });
  }

  restart() {
    const before = this.#ready;
    this.#ready = before.then(async () => {
      this.#closed.add(this.#host);
      await this.#host.close();
      await this.open();
      const left = await this.#store.list(taskOwner('chaos'));
      await Promise.all(
        left.map(({ taskId }) => this.#ask(this.#callOf(taskId), {}, { task: { resume: taskId } })),
      );
    });
    return this.#ready;
  }

  async #ask(id, args, options) {
    const host = this.#host;
    const outcome = host.callTool({ server: 'chaos', tool: 'mark' }, args, options).then(
      () => ({ kind: 'ok' }),
      ({ delivery = 'no-delivery', code, message }) => ({
        kind: delivery,
        code,
        message,
        closed: this.#closed.has(host),
      }),
    );
    const late = new AbortController();
    const unsettled = wait(UNSETTLED_MS, { kind: 'unsettled' }, late).catch(() => undefined);
    this.#told.set(id, [...(this.#told.get(id) ?? []), await Promise.race([outcome, unsettled])]);
    late.abort();
  }

  /** What was said last of each call; two answers are as bad as two executions. */
  verdicts() {
    return new Map(
      [...this.#told].map(([id, outcomes]) => {
        const last = outcomes.at(-1);
        const answers = outcomes.filter(({ kind }) => kind === 'ok').length;
        if (answers > 1) return [id, { kind: 'no-delivery', message: `was answered ${answers} times` }];
        const isLost = answers === 0 && this.#known.has(id) && last.closed;
        if (isLost) return [id, { kind: 'no-delivery', message: 'was forgotten, though its task was known' }];
        return [id, answers === 1 ? { kind: 'ok' } : last];
      }),
    );
  }

  close() {
    return this.#host.close();
  }
}

/** A server of the revision 2026-07-28 whose every call becomes a task of a few polls. */
async function startTaskServer(record, random) {
  const polls = new Map();
  const calls = new Map();
  const params = { params: z.object({ taskId: z.string() }) };
  const about = (taskId) => {
    const now = new Date().toISOString();
    return { taskId, createdAt: now, lastUpdatedAt: now, ttlMs: 600_000, pollIntervalMs: 10 };
  };
  const handler = createMcpHandler(() => {
    const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const server = new Server({ name: 'chaos', version: '1.0.0' }, { capabilities });
    const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
    server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'mark', inputSchema }] }));
    server.setRequestHandler('tools/call', ({ params: call }) => {
      record(call.arguments.id);
      const taskId = randomUUID();
      calls.set(taskId, call.arguments.id);
      polls.set(taskId, Math.floor(random() * 5));
      return { content: [], resultType: 'task', status: 'working', ...about(taskId) };
    });
    server.setRequestHandler('tasks/get', params, ({ taskId }) => {
      const left = polls.get(taskId) ?? 0;
      polls.set(taskId, left - 1);
      if (left > 0) return { ...about(taskId), status: 'working' };
      return { ...about(taskId), status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } };
    });
    server.setRequestHandler('tasks/cancel', params, () => ({}));
    return server;
  });
  const listener = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: listener.address().port,
    callOf: (taskId) => calls.get(taskId),
    close() {
      listener.close();
      listener.closeAllConnections();
    },
  };
}
