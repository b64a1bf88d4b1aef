/** What one contender does in its own process. Each measure is `setUp`, then `round` as often as it is asked for. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLI_MEASURES } from './cli-measures.mjs';
import { coldCalls } from './cold.mjs';
import { connect, makeTransport, startHttpServer } from './connection.mjs';
import { GATEWAY_CALLS } from './gateway-calls.mjs';
import { SIGNED_CALLS } from './signed-calls.mjs';
import { timed } from './timed.mjs';
import { HOST_MEASURES } from './host-measures.mjs';
import { peakBytes, resetPeak } from './peak-memory.mjs';

const ECHO = { text: 'Sixty-four bytes of text are about what a small tool gives back.' };
const MIB = 1024 * 1024;
const ROUND_MS = 150;
/** An idle window in which V8 clears up is taken again, so often at most. */
const IDLE_ATTEMPTS = 3;

async function open(task) {
  const server = needsServer(task.wire) ? await startHttpServer() : undefined;
  const connection = await connect({ ...task, port: server?.ports[0] });
  return connection;
}

function needsServer(wire) {
  return wire !== 'stdio' && wire !== 'inprocess';
}

/** `count` calls, `inFlight` of them at any time. */
async function callMany(connection, count, inFlight) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await connection.call('echo', ECHO);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Calls of one tool for so many milliseconds, `inFlight` at any time. @returns how many were made */
async function callFor(ms, connection, inFlight, { tool, given }) {
  const end = performance.now() + ms;
  let made = 0;
  const worker = async () => {
    do {
      await connection.call(tool, given);
      made++;
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return made;
}

/** What a call takes, in parts of a second: `perSecond` 1000 is milliseconds. */
async function callsMeasure(task, what, perSecond) {
  const { inFlight = 1, warmMs, roundMs = ROUND_MS } = task;
  const connection = await open(task);
  await callFor(warmMs, connection, inFlight, what);
  return async () => {
    let made;
    const { ms, cpuMs } = await timed(async () => {
      made = await callFor(roundMs, connection, inFlight, what);
    });
    const perCall = perSecond / 1000 / made;
    return { value: ms * perCall, cpu: cpuMs * perCall };
  };
}

/** Loaded when asked for, so that no other workload has Zod and the tools in its memory. */
const toolsMeasure = (name) => async (task) =>
  (await import('./tools-measures.mjs')).TOOLS_MEASURES[name](task);

export const MEASURES = {
  ...CLI_MEASURES,
  ...SIGNED_CALLS,
  ...GATEWAY_CALLS,
  convertTools: toolsMeasure('convertTools'),
  changeOneTool: toolsMeasure('changeOneTool'),
  toolsLinear: toolsMeasure('toolsLinear'),
  ...HOST_MEASURES,

  /** Microseconds a call. */
  calls: (task) => callsMeasure(task, { tool: 'echo', given: ECHO }, 1_000_000),

  /** Milliseconds for one large result. */
  large: (task) => callsMeasure(task, { tool: 'large', given: { bytes: task.bytes } }, 1000),

  /** The first burst that a process sends, all calls at once: milliseconds, memory, and the longer one of it and the next. */
  async firstBurst(task) {
    const connection = await open(task);
    await connection.call('echo', ECHO);
    const burst = () => timed(() => callMany(connection, task.calls, task.calls));
    return async () => {
      const before = process.memoryUsage.rss();
      const { ms, cpuMs } = await burst();
      const mib = (process.memoryUsage.rss() - before) / MIB;
      const next = await burst();
      return { value: ms, cpu: cpuMs, mib, longest: Math.max(ms, next.ms) };
    };
  },

  /** What a result costs that is `times` as large, over what so many results cost. */
  async linear(task) {
    const { bytes, times } = task;
    const connection = await open(task);
    const fetchLarge = (size) => timed(() => connection.call('large', { bytes: size }));
    await fetchLarge(bytes);
    await fetchLarge(bytes * times);
    return async () => {
      globalThis.gc();
      const small = await fetchLarge(bytes);
      globalThis.gc();
      const large = await fetchLarge(bytes * times);
      return { value: large.ms / (small.ms * times) };
    };
  },

  /** Milliseconds for one large result in a process that has done nothing else, with the memory it needed at most as a multiple of the result. */
  async largeOnce(task) {
    const connection = await open(task);
    await connection.call('large', { bytes: MIB });
    return async () => {
      globalThis.gc();
      resetPeak();
      const before = process.memoryUsage.rss();
      const { ms, cpuMs } = await timed(() => connection.call('large', { bytes: task.bytes }));
      const peak = peakBytes() - before;
      return { value: ms, cpu: cpuMs, payloads: peak / task.bytes };
    };
  },

  /** Milliseconds for a call with very many notifications before its answer. */
  async notifications(task) {
    const { count } = task;
    const connection = await open(task);
    await connection.call('flood', { count: 20_000 });
    return async () => {
      const before = connection.notified;
      const { ms, cpuMs } = await timed(() => connection.call('flood', { count }));
      return { value: ms, cpu: cpuMs, lost: count - (connection.notified - before) };
    };
  },

  /** Milliseconds to connect a Client to many servers at once, none of which this process has spoken to before. */
  async connectMany(task) {
    const { ports } = await startHttpServer(task.servers * 2);
    const connectAll = (some) => Promise.all(some.map((port) => connect({ ...task, port })));
    await connectAll(ports.splice(0, task.servers));
    return async () => {
      const { ms, cpuMs } = await timed(() => connectAll(ports));
      return { value: ms, cpu: cpuMs };
    };
  },

  /** KiB of live heap for each connection that holds its event stream and does nothing. */
  idleHeap: (task) => idleMemory(task, ({ heapUsed }) => heapUsed),

  /** KiB of memory that the system has given for each such connection. */
  idleRss: (task) => idleMemory(task, ({ rss }) => rss),

  /** The first calls of a process. */
  coldCalls,

  /** Milliseconds of CPU a minute, with idle connections or, for `none`, with nothing at all. */
  async idleCpu(task) {
    const kept = [];
    if (task.contender !== 'none') {
      const { ports } = await startHttpServer(task.connections);
      for (const port of ports) {
        const transport = await makeTransport(task.contender, 'idle', port);
        await handshake(transport);
        kept.push(transport);
      }
    }
    const collections = countCollections();
    // Until the sockets of the handshake are closed and V8 has cleared up after itself: that is not idle time.
    await sleep(15_000);
    return async () => {
      for (let attempt = 1; ; attempt++) {
        const before = collections();
        const cpu = process.cpuUsage();
        await sleep(task.seconds * 1000);
        const { user, system } = process.cpuUsage(cpu);
        const value = ((user + system) / 1000) * (60 / task.seconds);
        if (attempt === IDLE_ATTEMPTS || collections() === before) return { value, kept: kept.length };
      }
    };
  },
};

/** @returns a function that says how often V8 has cleared up more than what is young. */
function countCollections() {
  let count = 0;
  const isMinor = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MINOR;
  const observer = new PerformanceObserver((list) => {
    count += list.getEntries().filter((entry) => !isMinor(entry)).length;
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => count;
}

/** As an engine does it, without an engine: then the event stream is open. */
async function handshake(transport) {
  await transport.start();
  const answered = new Promise((resolve) => (transport.onmessage = resolve));
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await answered;
  transport.onmessage = () => undefined;
  transport.setProtocolVersion?.('2025-06-18');
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

async function idleMemory(task, read) {
  const { ports } = await startHttpServer(task.connections + 1);
  const connectIdle = async (port) => {
    const transport = await makeTransport(task.contender, 'idle', port);
    await handshake(transport);
    return transport;
  };
  const kept = [await connectIdle(ports.pop())];
  return async () => {
    const before = read(await memoryAtRest());
    for (const port of ports) kept.push(await connectIdle(port));
    const after = read(await memoryAtRest());
    return { value: (after - before) / 1024 / task.connections, kept: kept.length };
  };
}

async function memoryAtRest() {
  await sleep(300);
  for (let time = 0; time < 3; time++) {
    globalThis.gc();
    await sleep(20);
  }
  return process.memoryUsage();
}
