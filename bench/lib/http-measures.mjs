/** What is measured of HTTP beside the calls of a warm process: its first calls, memory at rest, and signed calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTransport, startHttpServer } from './connection.mjs';

const ECHO = {
  name: 'echo',
  arguments: { text: 'Sixty-four bytes of text are about what a small tool gives back.' },
};
const SLICES = 20;
const SLICE_MS = 25;

export const HTTP_MEASURES = {
  /** Microseconds a call, of the first calls that a process makes after its transport has started. */
  async firstCalls({ contender, wire, calls }) {
    const { ports } = await startHttpServer();
    const caller = new Caller(await makeTransport(contender, wire, ports[0]));
    await caller.transport.start();
    return async () => {
      const { ms, cpuMs } = await timed(async () => {
        for (let made = 0; made < calls; made++) await caller.call();
      });
      return { value: (ms * 1000) / calls, cpu: (cpuMs * 1000) / calls };
    };
  },

  /** KiB of resident memory for each connection that holds its event stream and does nothing. */
  async idleRss({ contender, connections }) {
    const { ports } = await startHttpServer(connections + 1);
    const connectIdle = async (port) => {
      const caller = new Caller(await makeTransport(contender, 'idle', port));
      await caller.handshake();
      return caller;
    };
    const kept = [await connectIdle(ports.pop())];
    return async () => {
      const before = await residentAtRest();
      for (const port of ports) kept.push(await connectIdle(port));
      const after = await residentAtRest();
      return { value: (after - before) / 1024 / connections, kept: kept.length };
    };
  },

  /** Microseconds that an OAuth token which is valid and in memory adds to a call: signed and unsigned calls take turns. */
  async signedCalls({ warmMs }) {
    const { ports } = await startHttpServer();
    const { createHttpTransport } = await import('@mcp-fittings/transport-http');
    const url = `http://127.0.0.1:${ports[0]}/json`;
    const unsigned = new Caller(createHttpTransport({ url }));
    const signed = new Caller(createHttpTransport({ url, auth: await providerWithToken(url) }));
    for (const { transport } of [unsigned, signed]) await transport.start();
    const warmUntil = performance.now() + warmMs;
    while (performance.now() < warmUntil) await takeTurns([unsigned, signed], 4);
    return async () => {
      const [without, with_] = await takeTurns([unsigned, signed], SLICES);
      return { value: with_.us - without.us, cpu: with_.cpuUs - without.cpuUs };
    };
  },
};

/** JSON-RPC without an engine. */
class Caller {
  #nextId = 0;
  #resolve;

  constructor(transport) {
    this.transport = transport;
    transport.onmessage = (message) => this.#resolve(message);
  }

  /** One call at a time. */
  call() {
    return this.#request('tools/call', ECHO);
  }

  /** As an engine does it: then the event stream is open. */
  async handshake() {
    const { transport } = this;
    await transport.start();
    const protocolVersion = '2025-06-18';
    await this.#request('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    this.#resolve = () => undefined;
    transport.setProtocolVersion?.(protocolVersion);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  #request(method, params) {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.transport.send({ jsonrpc: '2.0', id: this.#nextId++, method, params }).catch(reject);
    });
  }
}

/** Milliseconds of wall and of this process's CPU that `work` takes. */
async function timed(work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** Calls of both in short slices, one after the other: what disturbs the machine disturbs both. */
async function takeTurns(callers, slices) {
  const sums = callers.map(() => ({ ms: 0, cpuMs: 0, made: 0 }));
  for (let slice = 0; slice < slices; slice++) {
    for (const [index, caller] of callers.entries()) {
      const sum = sums[index];
      const { ms, cpuMs } = await timed(async () => {
        for (const end = performance.now() + SLICE_MS; performance.now() < end; sum.made++)
          await caller.call();
      });
      sum.ms += ms;
      sum.cpuMs += cpuMs;
    }
  }
  return sums.map(({ ms, cpuMs, made }) => ({ us: (ms * 1000) / made, cpuUs: (cpuMs * 1000) / made }));
}

/** A provider with a token that is valid for an hour. */
async function providerWithToken(url) {
  const { createOAuthProvider } = await import('@mcp-fittings/auth-oauth');
  const { memoryStore } = await import('@mcp-fittings/store-file');
  const store = memoryStore();
  const now = Date.now();
  const accessToken = 'token'.repeat(160);
  await store.set(`oauth\n${url}`, {
    version: 1,
    issuer: 'https://auth.example.com',
    tokenEndpoint: 'https://auth.example.com/token',
    resource: url,
    clientId: 'bench',
    accessToken,
    tokenType: 'Bearer',
    refreshToken: 'refresh',
    expiresAt: now + 3_600_000,
    obtainedAt: now,
  });
  const provider = createOAuthProvider({ url, clientName: 'bench', store });
  const { authorization } = await provider.headers({ url: new URL(url), method: 'POST' });
  if (authorization !== `Bearer ${accessToken}`) throw new Error('The calls would not be signed.');
  return provider;
}

async function residentAtRest() {
  await sleep(300);
  for (let time = 0; time < 3; time++) {
    globalThis.gc();
    await sleep(20);
  }
  return process.memoryUsage.rss();
}
