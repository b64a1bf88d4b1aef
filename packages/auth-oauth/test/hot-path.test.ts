import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createOAuthProvider } from '@mcp-fittings/auth-oauth';
import type { StoredValue, TokenStore } from '@mcp-fittings/client-core';
import { memoryStore } from '@mcp-fittings/store-file';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createHttpTransport } from '@mcp-fittings/transport-http';

const HOUR_MS = 3_600_000;

/** A store that counts everything that it is asked to do, as a Redis would count round trips. */
function countingStore() {
  const inner = memoryStore();
  const counts = { asked: 0 };
  const counted =
    <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
    (...given: Given): Result => {
      counts.asked++;
      return work(...given);
    };
  const store: TokenStore = {
    get: counted((key: string) => inner.get(key)),
    set: counted((key: string, value: StoredValue) => inner.set(key, value)),
    delete: counted((key: string) => inner.delete(key)),
    withLock: (key, work) => {
      counts.asked++;
      return inner.withLock(key, work);
    },
  };
  return { inner, store, counts };
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server that accepts one token, and the connection to it of a process that shares its store with another process. */
async function connected() {
  const state = { accepted: 'first', tokens: new Set<string>() };
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    state.tokens.add(token);
    if (token !== state.accepted) {
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      return;
    }
    const { id } = JSON.parse(body) as { id: number };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;

  const clock = createManualClock();
  const { inner, store, counts } = countingStore();
  /** What another process does that renews the token. */
  const storeToken = (accessToken: string): Promise<void> =>
    inner.set(`oauth\n${url}`, {
      version: 1,
      issuer: 'https://as.example',
      tokenEndpoint: 'https://as.example/token',
      resource: url,
      clientId: 'client',
      accessToken,
      tokenType: 'Bearer',
      refreshToken: `refresh-${accessToken}`,
      expiresAt: clock.now() + HOUR_MS,
      obtainedAt: clock.now(),
    });
  const network = {
    fetch: () => Promise.reject(new Error('No request to the authorization server was expected.')),
  };
  const auth = createOAuthProvider({ url, clientName: 'test', store, clock, network });
  const transport = createHttpTransport({ url, auth });
  const answered = new Map<unknown, () => void>();
  transport.onmessage = (message) => {
    if ('id' in message) answered.get(message.id)?.();
  };
  await transport.start();
  open.push(async () => {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  let nextId = 0;
  const call = async (): Promise<void> => {
    const id = nextId++;
    const reply = new Promise<void>((resolve) => answered.set(id, resolve));
    await transport.send({ jsonrpc: '2.0', id, method: 'tools/list' });
    await reply;
  };
  return { state, clock, counts, storeToken, call };
}

describe('calls with a token that is valid and in memory', () => {
  it('do not ask the store, 1000 of them', async () => {
    const { state, counts, storeToken, call } = await connected();
    await storeToken('first');
    await call();
    counts.asked = 0;
    await Promise.all(Array.from({ length: 1000 }, call));
    expect(counts.asked).toBe(0);
    expect(state.tokens).toEqual(new Set(['first']));
  });

  it('use the token that another process has stored when a 401 comes', async () => {
    const { state, counts, storeToken, call } = await connected();
    await storeToken('first');
    await call();
    await storeToken('second');
    state.accepted = 'second';
    counts.asked = 0;
    await call();
    expect(state.tokens).toEqual(new Set(['first', 'second']));
    expect(counts.asked).toBe(1);
    await call();
    expect(counts.asked).toBe(1);
  });

  it('use the token that another process has stored when the old one is about to expire', async () => {
    const { state, clock, storeToken, call } = await connected();
    await storeToken('first');
    await call();
    await clock.advance(HOUR_MS - 60_000);
    await storeToken('second');
    state.tokens.clear();
    state.accepted = 'second';
    await call();
    expect(state.tokens).toEqual(new Set(['second']));
  });
});
