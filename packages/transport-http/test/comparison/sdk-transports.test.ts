/**
 * What the HTTP transports of SDK v1 (1.32) and v2 (2.4) do; docs/comparison.md names the tests of what ours does. A test that fails
 * here after an update of an SDK means that the SDK has changed: adapt that page then.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { scriptedServer, type Exchange, type ScriptedServer } from '../support/scripted-server.js';
import { SDK_TRANSPORTS, type SdkTransportKind } from '../support/sdk-transports.js';
import { when } from '../support/turns.js';

const quick = (maxRetries: number) => ({
  reconnectionOptions: {
    initialReconnectionDelay: 20,
    maxReconnectionDelay: 50,
    reconnectionDelayGrowFactor: 1,
    maxRetries,
  },
});

const moment = (ms = 250): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const announcement = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } };

/** Starts a bare transport and does the handshake. */
async function connected(transport: Transport): Promise<{ messages: JSONRPCMessage[]; errors: Error[] }> {
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = (error) => errors.push(error);
  await transport.start();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  transport.setProtocolVersion?.('2025-11-25');
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { messages, errors };
}

/** A call over the SDK's own client with a short deadline, and how long it took to fail. */
async function failingCall(kind: SdkTransportKind, server: ScriptedServer, timeout: number) {
  const info = { name: 'x', version: '1' };
  const transport = kind.make(server.url) as never;
  let call: () => Promise<unknown>;
  if (kind.name === 'SDK v1') {
    const client = new ClientV1(info);
    await client.connect(transport);
    call = () => client.callTool({ name: 'x' }, undefined, { timeout });
  } else {
    const client = new ClientV2(info);
    await client.connect(transport);
    call = () => client.callTool({ name: 'x' }, { timeout });
  }
  const before = performance.now();
  const error: unknown = await call().catch((reason: unknown) => reason);
  return { error, ms: performance.now() - before };
}

describe.each(SDK_TRANSPORTS)('$name', (kind) => {
  it('a forgotten session stays an error: the id is kept, and no new session is opened', async () => {
    let forgotten = false;
    await using server = await scriptedServer({
      session: 's1',
      on: { 'tools/list': (exchange) => (forgotten ? exchange.plain(404) : exchange.result({})) },
    });
    await using transport = kind.make(server.url);
    await connected(transport);
    forgotten = true;
    await expect(transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).rejects.toThrow('POSTing');
    await expect(transport.send({ jsonrpc: '2.0', id: 3, method: 'tools/list' })).rejects.toThrow('POSTing');
    expect(transport.sessionId).toBe('s1');
    expect(server.of('initialize')).toHaveLength(1);
  });

  it('a stream that ends without the answer leaves the call to its time-out', async () => {
    await using server = await scriptedServer({ on: { 'tools/call': (exchange) => exchange.sse().end() } });
    const { error, ms } = await failingCall(kind, server, 500);
    expect(ms).toBeGreaterThan(450);
    expect(String(error)).toMatch(/timed out/i);
  });

  it('the cursor is forgotten by a connection that brings no event id', async () => {
    let opened = 0;
    await using server = await scriptedServer({
      on: {
        GET: (exchange) =>
          exchange
            .sse()
            .event({ ...(++opened === 1 && { id: 'ev1' }), data: announcement })
            .end(),
      },
    });
    await using transport = kind.make(server.url, quick(2));
    await connected(transport);
    await server.until('GET', 4);
    const ids = server.of('GET').map(({ headers }) => headers['last-event-id']);
    expect(ids.slice(0, 4)).toEqual([undefined, 'ev1', undefined, undefined]);
  });

  it('`retry: 0` is a hot loop', async () => {
    await using server = await scriptedServer({
      on: { GET: (exchange) => exchange.sse().event({ id: '1', retry: 0 }).end() },
    });
    await using transport = kind.make(server.url);
    await connected(transport);
    // Ours waits a second before each: two minutes for as many, where a test has half a minute.
    await server.until('GET', 120);
  });

  it('the counter of attempts is reset by each connection, so that it never trips', async () => {
    await using server = await scriptedServer({ on: { GET: (exchange) => exchange.sse().end() } });
    await using transport = kind.make(server.url, quick(2));
    await connected(transport);
    await server.until('GET', 8);
  });

  it('the `retry` of one stream delays another', async () => {
    let get: Exchange | undefined;
    await using server = await scriptedServer({
      on: {
        GET: (exchange) => {
          get ??= exchange;
          if (get === exchange) exchange.sse();
          else exchange.plain(405);
        },
        'tools/list': (exchange) => exchange.sse().event({ retry: 60_000, id: 'r' }).result({}).end(),
      },
    });
    await using transport = kind.make(server.url, quick(2));
    const { messages } = await connected(transport);
    await server.until('GET');
    await transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await when(() => messages.length === 2);
    get?.response.end();
    await moment();
    // It would have been back after 20 ms.
    expect(server.of('GET')).toHaveLength(1);
  });

  it(
    'a process lives on after close() when two streams wait to be resumed',
    { timeout: 20_000 },
    async () => {
      await using server = await scriptedServer({
        on: { polled: (exchange) => exchange.sse().event({ id: 'p', retry: 1500, data: '' }).end() },
      });
      const probe = fileURLToPath(new URL('../support/exit-probe-sdk.mjs', import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [probe, server.url, kind.name]);
      expect(Number(stdout)).toBeGreaterThan(700);
    },
  );

  it('after two refused attempts the event stream is never reopened', async () => {
    let down = false;
    await using server = await scriptedServer({
      on: { GET: (exchange) => (down ? exchange.plain(502) : void exchange.sse()) },
    });
    await using transport = kind.make(server.url, quick(2));
    const { errors } = await connected(transport);
    const first = await server.until('GET');
    down = true;
    first.response.destroy();
    await when(() => errors.some(({ message }) => message.includes('Maximum reconnection attempts')));
    const tried = server.of('GET').length;
    down = false;
    await transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await moment();
    expect(server.of('GET')).toHaveLength(tried);
  });

  it('close() does not end the session, and calls onclose each time', async () => {
    await using server = await scriptedServer({ session: 's' });
    const transport = kind.make(server.url);
    await connected(transport);
    let closes = 0;
    transport.onclose = () => closes++;
    await transport.close();
    await transport.close();
    expect(closes).toBe(2);
    expect(server.of('DELETE')).toHaveLength(0);
  });

  it('no limit on what is read: 30 MB of one answer are taken in', { timeout: 20_000 }, async () => {
    const size = 30 * 1024 * 1024;
    await using server = await scriptedServer({
      on: {
        big: ({ message, response }) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.write(`{"jsonrpc":"2.0","id":${message.id},"result":{"x":"`);
          response.write(Buffer.alloc(size, 'x'));
          response.end('"}}');
        },
      },
    });
    await using transport = kind.make(server.url);
    const { messages } = await connected(transport);
    await transport.send({ jsonrpc: '2.0', id: 2, method: 'big' });
    await when(() => messages.length === 2);
    expect(messages[1]).toMatchObject({ id: 2, result: { x: expect.stringMatching(/^x/) as string } });
  });

  it('Retry-After is not looked at, and a refusal is opaque text', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/list': (exchange) => exchange.plain(429, '', { 'retry-after': '0' }),
        'tools/call': (exchange) => exchange.rpcError(-32_602, 'bad arguments', 400),
      },
    });
    await using transport = kind.make(server.url);
    await connected(transport);
    await expect(transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).rejects.toThrow(
      /Error POSTing/,
    );
    expect(server.of('tools/list')).toHaveLength(1);
    await expect(transport.send({ jsonrpc: '2.0', id: 3, method: 'tools/call' })).rejects.toThrow(
      /"code":-32602/,
    );
  });
});

describe('SDK v1 alone', () => {
  const [kind] = SDK_TRANSPORTS.filter(({ name }) => name === 'SDK v1');
  if (kind === undefined) throw new Error('no SDK v1');

  it('a 401 on GET causes an endless loop while the refresh works', async () => {
    let refreshes = 0;
    await using server = await scriptedServer();
    // What auth() of the SDK asks for on its way to a refresh; the token endpoint is the scripted server's.
    const metadata = { issuer: server.origin, token_endpoint: `${server.origin}/token` };
    const authProvider = {
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: [] },
      clientInformation: () => ({ client_id: 'x' }),
      tokens: () => ({ access_token: 'a', token_type: 'Bearer', refresh_token: 'r' }),
      saveTokens: () => void refreshes++,
      redirectToAuthorization: () => undefined,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => 'v',
    };
    server.script({
      GET: (exchange) => {
        if (exchange.path.startsWith('/.well-known/oauth-authorization-server')) {
          exchange.json({
            ...metadata,
            authorization_endpoint: `${server.origin}/a`,
            response_types_supported: ['code'],
          });
        } else if (exchange.path.startsWith('/.well-known')) exchange.plain(404);
        else exchange.plain(401);
      },
      '/token': (exchange) => exchange.json({ access_token: 'b', token_type: 'Bearer' }),
    });
    const transport = kind.make(server.url, { authProvider });
    await connected(transport);
    // Ours: two GETs and one challenge.
    const gets = (): number => server.of('GET').filter(({ path }) => path === '/mcp').length;
    while (gets() <= 5 || refreshes <= 5) await server.until('GET', server.of('GET').length + 1);
    await transport.close();
  });

  it('an error response does not end the request: its stream is reopened', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) =>
          exchange
            .sse()
            .event({
              id: 'a',
              data: { jsonrpc: '2.0', id: exchange.message.id, error: { code: 1, message: 'no' } },
            })
            .end(),
      },
    });
    await using transport = kind.make(server.url, quick(2));
    await connected(transport);
    await transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/call' });
    await when(() => server.of('GET').some(({ headers }) => headers['last-event-id'] === 'a'));
  });

  it('a session id is taken from any answer', async () => {
    await using server = await scriptedServer({
      on: { 'tools/list': (exchange) => exchange.plain(400, '', { 'mcp-session-id': 'of-an-error' }) },
    });
    await using transport = kind.make(server.url);
    await connected(transport);
    await expect(transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).rejects.toThrow('POSTing');
    expect(transport.sessionId).toBe('of-an-error');
  });
});
