import { inspect } from 'node:util';
import { TransportError } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { forgetfulServer } from './support/forgetful-server.js';
import { REVISION, scriptedServer, type Exchange } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';

describe('a forgotten session', () => {
  it('is opened again, the request is sent again, and the host is told', async () => {
    await using server = await forgetfulServer();
    const transport = createHttpTransport({ url: server.url });
    const restored: unknown[] = [];
    transport.onsessionrestored = (result) => restored.push(result, transport.sessionId);
    await using caller = await connect(transport);
    expect(transport.sessionId).toBe('s1');
    server.forget();
    expect(await caller.request('tools/list')).toEqual({ session: 's2' });
    expect(transport.sessionId).toBe('s2');
    expect(restored).toEqual([
      expect.objectContaining({ serverInfo: { name: 'life 2', version: '1' } }),
      's2',
    ]);
    const [first, second] = server.of('initialize');
    expect(second?.headers['mcp-session-id']).toBeUndefined();
    expect(second?.message.params).toEqual(first?.message.params);
    const initialized = server.of('notifications/initialized')[1];
    expect(initialized?.headers).toMatchObject({ 'mcp-session-id': 's2', 'mcp-protocol-version': REVISION });
    expect(caller.errors).toEqual([]);
    expect(caller.closes).toBe(0);
  });

  it('holds up what is sent meanwhile until the new one is complete', async () => {
    let initialize: Exchange | undefined;
    await using server = await forgetfulServer();
    await using caller = await connect(createHttpTransport({ url: server.url }));
    server.forget();
    server.script({
      initialize: (exchange) => void (initialize = exchange),
      request: (exchange) => {
        if (exchange.headers['mcp-session-id'] === 's9') exchange.result({ fine: true });
        else exchange.plain(404);
      },
      notification: (exchange) => exchange.plain(202),
    });
    const first = caller.request('tools/list');
    await server.until('initialize', 2);
    const meanwhile = caller.request('prompts/list');
    initialize?.result({ protocolVersion: REVISION, capabilities: {} }, { 'mcp-session-id': 's9' });
    expect(await Promise.all([first, meanwhile])).toEqual([{ fine: true }, { fine: true }]);
    const order = server.received.map(({ message }) => String(message.method));
    expect(order.filter((method) => method === 'prompts/list')).toHaveLength(1);
    expect(order.lastIndexOf('notifications/initialized')).toBeLessThan(order.indexOf('prompts/list'));
  });

  it('does not resend messages that belong to it', async () => {
    await using server = await forgetfulServer();
    const transport = createHttpTransport({ url: server.url });
    await using _ = await connect(transport);
    server.forget();
    const answer = { jsonrpc: '2.0' as const, id: 'question', result: {} };
    await expect(transport.send(answer)).rejects.toMatchObject({
      code: 'SESSION_LOST',
      delivery: 'rejected',
    });
    expect(server.of('response')).toHaveLength(1);
    // The session itself was restored meanwhile.
    expect(transport.sessionId).toBe('s2');
  });

  it('fails the request as rejected when there is no new one, and is tried again by the next', async () => {
    await using server = await forgetfulServer();
    await using caller = await connect(createHttpTransport({ url: server.url }));
    server.forget();
    let attempts = 0;
    server.script({ initialize: (exchange) => (attempts++, exchange.plain(500, 'starting')) });
    const error = await caller.request('tools/list').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'SESSION_LOST', delivery: 'rejected', retryable: true });
    expect(error).toBeInstanceOf(TransportError);
    expect((error as TransportError).cause).toMatchObject({ code: 'SERVER_ERROR', details: { status: 500 } });
    await expect(caller.request('tools/list')).rejects.toMatchObject({ code: 'SESSION_LOST' });
    expect(attempts).toBe(2);
    expect(caller.closes).toBe(0);
  });

  it('does not block requests forever when the server does not answer', async () => {
    const clock = createManualClock();
    await using server = await forgetfulServer();
    await using caller = await connect(createHttpTransport({ url: server.url, clock }));
    server.forget();
    server.script({ initialize: () => undefined });
    const waiting = caller.request('tools/list').catch((error: unknown) => error);
    await server.until('initialize', 2);
    await clock.advance(30_000);
    expect(await waiting).toMatchObject({
      code: 'SESSION_LOST',
      delivery: 'rejected',
      cause: { code: 'TIMEOUT' },
    });
    expect(clock.pending).toBe(0);
  });

  it('ends the transport when the new one speaks another revision', async () => {
    await using server = await forgetfulServer();
    const transport = createHttpTransport({ url: server.url });
    await using caller = await connect(transport);
    server.forget();
    server.script({
      initialize: (exchange) => exchange.result({ protocolVersion: '2025-06-18', capabilities: {} }),
    });
    await expect(caller.request('tools/list')).rejects.toMatchObject({ code: 'SESSION_LOST' });
    await caller.until(() => caller.closes || undefined);
    expect(transport.closeReason).toMatchObject({
      code: 'SESSION_LOST',
      cause: { code: 'VERSION_UNSUPPORTED' },
    });
    expect(server.of('notifications/initialized')).toHaveLength(1);
  });

  it('is opened again over an event stream that the server never ends', async () => {
    await using server = await forgetfulServer();
    await using caller = await connect(createHttpTransport({ url: server.url }));
    server.forget();
    server.script({
      initialize: (exchange) =>
        void exchange
          .sse({ 'mcp-session-id': 's1b' })
          .result({ protocolVersion: REVISION, capabilities: {} }),
      request: (exchange) => {
        if (exchange.headers['mcp-session-id'] === 's1b') exchange.result({ fine: true });
        else exchange.plain(404);
      },
      notification: (exchange) => exchange.plain(202),
    });
    expect(await caller.request('tools/list')).toEqual({ fine: true });
  });

  it('is found out by the event stream too, before anybody calls', async () => {
    const streams = openStreams();
    await using server = await forgetfulServer({ GET: streams.script });
    const transport = createHttpTransport({ url: server.url });
    const restored = new Promise<void>((resolve) => {
      transport.onsessionrestored = () => resolve();
    });
    await using _ = await connect(transport);
    await server.until('GET');
    server.forget();
    streams.writers[0]?.event({ retry: 1 }).end();
    await restored;
    expect(transport.sessionId).toBe('s2');
    expect((await server.until('GET', 3)).headers['mcp-session-id']).toBe('s2');
  });
});

describe('the session id', () => {
  it('is not set before the server answers, and comes from the answer to initialize alone', async () => {
    await using server = await scriptedServer({
      on: { 'tools/list': (exchange) => exchange.result({}, { 'mcp-session-id': 'smuggled' }) },
    });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await startCaller(transport);
    expect(transport.sessionId).toBeUndefined();
    await caller.handshake();
    await caller.request('tools/list');
    await caller.request('tools/list');
    expect(transport.sessionId).toBeUndefined();
    expect(server.of('tools/list')[1]?.headers['mcp-session-id']).toBeUndefined();
  });

  it('is not taken from an error answer to initialize', async () => {
    await using server = await scriptedServer({
      on: {
        initialize: (exchange) =>
          exchange.json(
            { jsonrpc: '2.0', id: exchange.message.id, error: { code: -32_602, message: 'no' } },
            200,
            { 'mcp-session-id': 'of-an-error' },
          ),
      },
    });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await startCaller(transport);
    await expect(caller.request('initialize')).rejects.toMatchObject({ rpc: { code: -32_602 } });
    expect(transport.sessionId).toBeUndefined();
    await caller.request('tools/list');
    expect(server.of('tools/list')[0]?.headers['mcp-session-id']).toBeUndefined();
  });

  it('is not kept from an initialize that was never answered', async () => {
    await using server = await scriptedServer({
      on: { initialize: (exchange) => exchange.sse({ 'mcp-session-id': 'offered' }).end() },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(caller.request('initialize')).rejects.toMatchObject({ code: 'STREAM_LOST' });
    await caller.request('tools/list');
    expect(server.of('tools/list')[0]?.headers['mcp-session-id']).toBeUndefined();
    await caller.transport.close();
    expect(server.of('DELETE')).toHaveLength(0);
  });

  it('is not sent with a new initialize', async () => {
    await using server = await scriptedServer({ session: 'first' });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await caller.handshake();
    expect(server.of('initialize')[1]?.headers['mcp-session-id']).toBeUndefined();
  });

  it.each([
    ['a space', 'two words'],
    ['a character beyond ASCII', 'sesión'],
    ['5000 characters', 'x'.repeat(5000)],
  ])('with %s is refused', async (_, session) => {
    await using server = await scriptedServer({ session });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await startCaller(transport);
    await expect(caller.request('initialize')).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
    });
    expect(transport.sessionId).toBeUndefined();
    await caller.request('tools/list');
    expect(server.of('tools/list')[0]?.headers['mcp-session-id']).toBeUndefined();
  });

  it('is in no inspection of the transport', async () => {
    await using server = await scriptedServer({ session: 'session-0123456789' });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    const { transport } = caller;
    expect(transport.sessionId).toBe('session-0123456789');
    expect(inspect(transport, { depth: 9 })).not.toContain('0123456789');
    expect(JSON.stringify(transport.describe?.())).not.toContain('0123456789');
  });
});
