/** What the signature of a call costs. */
import { startHttpServer } from './connection.mjs';
import { timed } from './timed.mjs';

const ECHO = {
  name: 'echo',
  arguments: { text: 'Sixty-four bytes of text are about what a small tool gives back.' },
};
const ACCESS_TOKEN = 'token'.repeat(160);
const SLICES = 20;
const SLICE_MS = 25;

export const SIGNED_CALLS = {
  /**
   * Microseconds that an OAuth token which is valid and in memory adds to a call: signed and unsigned calls take turns. The floor sends
   * the same header with each call, without a provider.
   */
  async signedCalls({ warmMs, contender }) {
    const { ports } = await startHttpServer();
    const url = `http://127.0.0.1:${ports[0]}/json`;
    const transports = await (contender === 'floor' ? bareTransports(url) : ourTransports(url));
    const [unsigned, signed] = transports.map((transport) => new Caller(transport));
    for (const { transport } of [unsigned, signed]) await transport.start();
    const warmUntil = performance.now() + warmMs;
    while (performance.now() < warmUntil) await takeTurns([unsigned, signed], 4);
    return async () => {
      const [without, with_] = await takeTurns([unsigned, signed], SLICES);
      return { value: with_.us - without.us, cpu: with_.cpuUs - without.cpuUs };
    };
  },
};

async function ourTransports(url) {
  const { createHttpTransport } = await import('@mcp-fittings/transport-http');
  return [createHttpTransport({ url }), createHttpTransport({ url, auth: await providerWithToken(url) })];
}

async function bareTransports(url) {
  const { floor } = await import('../contenders/floor.mjs');
  const headers = { authorization: `Bearer ${ACCESS_TOKEN}` };
  return [await floor.http({ url }), await floor.http({ url, headers })];
}

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

  #request(method, params) {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.transport.send({ jsonrpc: '2.0', id: this.#nextId++, method, params }).catch(reject);
    });
  }
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
  await store.set(`oauth\n${url}`, {
    version: 1,
    issuer: 'https://auth.example.com',
    tokenEndpoint: 'https://auth.example.com/token',
    resource: url,
    clientId: 'bench',
    accessToken: ACCESS_TOKEN,
    tokenType: 'Bearer',
    refreshToken: 'refresh',
    expiresAt: now + 3_600_000,
    obtainedAt: now,
  });
  const provider = createOAuthProvider({ url, clientName: 'bench', store });
  const { authorization } = await provider.headers({ url: new URL(url), method: 'POST' });
  if (authorization !== `Bearer ${ACCESS_TOKEN}`) throw new Error('The calls would not be signed.');
  return provider;
}
