import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { Transport } from '@mcp-fittings/client-core';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { client, startedClient } from './support/clients.js';
import { startServer, TOKEN } from './support/mcp-server.js';
import { listen } from './support/net.js';
import { record, type Recorder } from './support/recorder.js';
import { askForUpgrade } from './support/upgrade-request.js';

const BEARER = { Authorization: `Bearer ${TOKEN}` };
const credentials = { apiKey: TOKEN };

/** Collects the transports of a server; each is started. */
function collector(): { accepted: Recorder[]; onConnection: (transport: Transport) => Promise<void> } {
  const accepted: Recorder[] = [];
  return {
    accepted,
    async onConnection(transport) {
      accepted.push(record(transport));
      await transport.start();
    },
  };
}

describe('where it listens', () => {
  it('handles its path only, and leaves others to other listeners', async () => {
    const http = createServer();
    const other = new WebSocketServer({ noServer: true });
    await using server = await startServer({ server: http, path: '/mcp', onConnection: (t) => t.start() });
    expect((await askForUpgrade(server.port, BEARER, '/mcp?a=b')).status).toBe(101);
    expect((await askForUpgrade(server.port, BEARER, '/other')).status).toBe(404);
    expect((await askForUpgrade(server.port, BEARER, '/mcp/')).status).toBe(404);
    http.on('upgrade', (request, socket, head) => {
      if (request.url === '/other') other.handleUpgrade(request, socket, head, (ws) => ws.close());
    });
    expect((await askForUpgrade(server.port, {}, '/other')).status).toBe(101);
    expect((await askForUpgrade(server.port, BEARER)).status).toBe(101);
  });

  it('ends an upgrade that no listener answers', async () => {
    const clock = createManualClock();
    const http = createServer();
    await using listening = await listen(http, { bare: true });
    const onConnection = (transport: Transport): Promise<void> => transport.start();
    await using one = createWebSocketServer({
      server: http,
      path: '/one',
      token: TOKEN,
      clock,
      onConnection,
    });
    await using two = createWebSocketServer({
      server: http,
      path: '/two',
      token: TOKEN,
      clock,
      onConnection,
    });
    const arrived = once(http, 'upgrade');
    // A reset of it harms nothing.
    const reset = connect(listening.port, '127.0.0.1');
    reset.write(
      'GET /three HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    await arrived;
    const [left] = listening.sockets;
    const gone = new Promise((resolve) => left?.once('close', resolve));
    reset.resetAndDestroy();
    await gone;
    const again = once(http, 'upgrade');
    const unhandled = askForUpgrade(listening.port, BEARER, '/three');
    await again;
    const served = await askForUpgrade(listening.port, BEARER, '/two');
    await clock.advance(10_000);
    expect((await unhandled).status).toBe(404);
    expect(served.status).toBe(101);
    expect(one.connections + two.connections).toBeLessThanOrEqual(1);
  });

  it('shares the http.Server with plain requests, and leaves it open when it closes', async () => {
    const http = createServer((_request, response) => response.end('hello'));
    await using listening = await listen(http);
    const sockets = createWebSocketServer({ server: http, token: TOKEN, onConnection: () => undefined });
    const url = `http://127.0.0.1:${listening.port}/`;
    expect(await (await fetch(url)).text()).toBe('hello');
    await sockets.close();
    await sockets.close();
    expect(http.listenerCount('upgrade')).toBe(0);
    expect(await (await fetch(url)).text()).toBe('hello');
  });

  it('answers an invalid handshake', async () => {
    await using server = await startServer();
    expect((await askForUpgrade(server.port, { ...BEARER, 'Sec-WebSocket-Key': 'short' })).status).toBe(400);
    expect((await askForUpgrade(server.port, { ...BEARER, 'Sec-WebSocket-Version': '12' })).status).toBe(400);
    expect((await askForUpgrade(server.port, { ...BEARER, Upgrade: 'h2c' })).status).toBe(400);
    expect(server.sockets.connections).toBe(0);
  });

  it('selects `mcp` among what is offered, and nothing else', async () => {
    await using server = await startServer({ onConnection: (t) => t.start() });
    const select = async (offer: string): Promise<unknown> =>
      (await askForUpgrade(server.port, { ...BEARER, 'Sec-WebSocket-Protocol': offer })).headers[
        'sec-websocket-protocol'
      ];
    expect(await select('other, mcp')).toBe('mcp');
    expect(await select('other')).toBeUndefined();
  });
});

describe('a connection', () => {
  it('says who it is, and carries messages both ways, also those that came before its start', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const accepted: Recorder[] = [];
    await using server = await startServer({
      async onConnection(transport, request) {
        expect(request.headers['x-client']).toBe('seven');
        accepted.push(record(transport));
        await released;
        await transport.start();
      },
    });
    const recorder = await startedClient(server.url, { ...credentials, headers: { 'X-Client': 'seven' } });
    await using _ = recorder.transport;
    const pending = recorder.request(1, 'early');
    await recorder.notify('notifications/also-early');
    await new Promise((resolve) => setImmediate(resolve));
    expect(accepted[0]?.messages).toEqual([]);
    const seen = accepted[0]?.next();
    release();
    expect(await seen).toMatchObject({ method: 'early' });
    const [side] = accepted;
    await side?.transport.send({ jsonrpc: '2.0', id: 1, result: { done: true } });
    await pending;
    expect(recorder.messages).toEqual([{ jsonrpc: '2.0', id: 1, result: { done: true } }]);
    expect(side?.messages.map((message) => 'method' in message && message.method)).toEqual([
      'early',
      'notifications/also-early',
    ]);
    expect(side?.transport.describe?.()).toMatchObject({ protocol: 'mcp', remoteAddress: '127.0.0.1' });
  });

  it('keeps what came in one segment with the upgrade request until it is started', async () => {
    let first: unknown;
    let started = false;
    let done: () => void = () => undefined;
    const received = new Promise<void>((resolve) => (done = resolve));
    await using server = await startServer({
      async onConnection(transport) {
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        transport.onmessage = (message) => {
          expect(started).toBe(true);
          first = message;
          done();
        };
        // As a plain callback would: not within a promise job.
        setImmediate(() => void transport.start().then(() => (started = true)));
      },
    });
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"early"}');
    // Masked, as a client has to, with a mask of zeros.
    const masked = Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]);
    const head = [
      'GET /mcp HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: ${BEARER.Authorization}`,
      '\r\n',
    ].join('\r\n');
    const socket = connect(server.port, '127.0.0.1');
    socket.write(Buffer.concat([Buffer.from(head), masked]));
    await received;
    expect(first).toEqual({ jsonrpc: '2.0', id: 1, method: 'early' });
    socket.destroy();
  });

  it('cannot be started when the client has gone meanwhile', async () => {
    let outcome: Promise<unknown> = Promise.resolve();
    let done: () => void = () => undefined;
    const tried = new Promise<void>((resolve) => (done = resolve));
    await using server = await startServer({
      async onConnection(transport, request) {
        const gone = once(request.socket, 'close');
        for (const socket of server.listening.sockets) socket.resetAndDestroy();
        await gone;
        outcome = failureOf(transport.start());
        done();
      },
    });
    const recorder = client(server.url, credentials);
    await recorder.transport.start().catch(() => undefined);
    await tried;
    expect(await outcome).toMatchObject({ code: 'CONNECTION_LOST' });
    expect(server.sockets.connections).toBe(0);
    await recorder.transport.close();
  });

  it('tells the server when the client goes, and is counted no more', async () => {
    const { accepted, onConnection } = collector();
    await using server = await startServer({ onConnection });
    const { transport } = await startedClient(server.url, credentials);
    expect(server.sockets.connections).toBe(1);
    await transport.close();
    await accepted[0]?.closed;
    expect(accepted[0]?.transport.closeReason).toMatchObject({ details: { closeCode: 1000 } });
    expect(server.sockets.connections).toBe(0);
  });

  it('ends with 1011 when onConnection throws, before or after the start', async () => {
    const errors: unknown[] = [];
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (message: string, fields?: Readonly<Record<string, unknown>>) =>
        void errors.push([message, fields]),
    };
    for (const start of [false, true]) {
      const broken = new Error('broken');
      await using server = await startServer({
        logger,
        async onConnection(transport) {
          if (start) await transport.start();
          throw broken;
        },
      });
      const recorder = await startedClient(server.url, credentials);
      await recorder.closed;
      expect(recorder.transport.closeReason).toMatchObject({ details: { closeCode: 1011 } });
      expect(errors.pop()).toEqual(['The `onConnection` callback threw an error.', { cause: broken }]);
      expect(server.sockets.connections).toBe(0);
    }
  });

  it('a client that sends too much is closed with 1009, and the others live on', async () => {
    const { accepted, onConnection } = collector();
    await using server = await startServer({ onConnection, maxMessageBytes: 1000 });
    const good = await startedClient(server.url, credentials);
    await using _ = good.transport;
    const bad = await startedClient(server.url, credentials);
    const lost = failureOf(bad.request(1, 'x', { text: 'x'.repeat(2000) }));
    expect(await lost).toMatchObject({ code: 'MESSAGE_TOO_LARGE', details: { closeCode: 1009 } });
    await accepted[1]?.closed;
    expect(accepted[1]?.transport.closeReason).toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    const alive = good.request(2);
    await accepted[0]?.next();
    await accepted[0]?.transport.send({ jsonrpc: '2.0', id: 2, result: {} });
    await alive;
  });

  it('inflates no further than the limit', async () => {
    const { accepted, onConnection } = collector();
    await using server = await startServer({
      onConnection,
      maxMessageBytes: 10_000,
      perMessageDeflate: true,
    });
    const bomber = new WebSocket(server.url, ['mcp'], { headers: BEARER, perMessageDeflate: true });
    bomber.on('error', () => undefined);
    await once(bomber, 'open');
    bomber.send('x'.repeat(10_000_000));
    const [code] = (await once(bomber, 'close')) as [number];
    expect(code).toBe(1009);
    await accepted[0]?.closed;
    expect(accepted[0]?.transport.closeReason).toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  });

  it('a client that pings more often than `maxPings` is closed with 1008', async () => {
    const { onConnection } = collector();
    await using server = await startServer({ onConnection, maxPings: 3 });
    const pinger = new WebSocket(server.url, ['mcp'], { headers: BEARER });
    await once(pinger, 'open');
    const closed = new Promise((resolve) => pinger.once('close', resolve));
    for (let sent = 0; sent < 10; sent++) pinger.ping();
    const answered = new Promise((resolve) => {
      let pongs = 0;
      pinger.on('pong', () => (pongs += 1) === 10 && resolve('all are answered'));
    });
    expect(await Promise.race([closed, answered])).toBe(1008);
  });

  it('a dead client is found by the heartbeat', async () => {
    const clock = createManualClock();
    const { accepted, onConnection } = collector();
    await using server = await startServer({ onConnection, clock });
    const mute = new WebSocket(server.url, ['mcp'], { headers: BEARER, autoPong: false });
    mute.on('error', () => undefined);
    await once(mute, 'open');
    const gone = once(mute, 'close');
    await clock.advance(30_000);
    expect(server.sockets.connections).toBe(1);
    await clock.advance(30_000);
    await accepted[0]?.closed;
    expect(accepted[0]?.transport.closeReason).toMatchObject({ code: 'CONNECTION_LOST' });
    await gone;
  });
});

describe('caps', () => {
  it('on connections: one too many is answered 503, and there is room again when one goes', async () => {
    const { onConnection } = collector();
    await using server = await startServer({ onConnection, maxConnections: 2 });
    const first = await startedClient(server.url, credentials);
    const second = await startedClient(server.url, credentials);
    expect(await failureOf(client(server.url, credentials).transport.start())).toMatchObject({
      code: 'RATE_LIMITED',
      details: { status: 503 },
    });
    await first.transport.close();
    const third = await startedClient(server.url, credentials);
    await second.transport.close();
    await third.transport.close();
  });

  it('on checks of credentials that are not over, in number and in time', async () => {
    const clock = createManualClock();
    const signals: AbortSignal[] = [];
    let arrived: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (arrived = resolve));
    await using server = await startServer({
      clock,
      maxHandshakes: 2,
      handshakeMs: 5000,
      authenticate: (_request, signal) => {
        if (signals.push(signal) === 2) arrived();
        return new Promise(() => undefined);
      },
    });
    const waiting = [askForUpgrade(server.port, {}), askForUpgrade(server.port, {})];
    await both;
    expect((await askForUpgrade(server.port, {})).status).toBe(503);
    expect(signals).toHaveLength(2);
    await clock.advance(5000);
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('a client that goes while it is checked frees its place at once', async () => {
    let asked = (): void => undefined;
    const began = new Promise<void>((resolve) => (asked = resolve));
    let seen: AbortSignal | undefined;
    await using server = await startServer({
      maxHandshakes: 1,
      authenticate: (request, signal) => {
        if (request.headers['x-slow'] === undefined) return true;
        seen = signal;
        asked();
        return new Promise(() => undefined);
      },
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      'GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Slow: 1\r\n\r\n',
    );
    await began;
    const given = seen;
    const aborted = new Promise((resolve) => given?.addEventListener('abort', resolve));
    socket.resetAndDestroy();
    await aborted;
    expect((await askForUpgrade(server.port, {})).status).toBe(101);
  });

  it('on time until the transport is started: a forgotten one ends with 1013', async () => {
    const clock = createManualClock();
    await using server = await startServer({ clock, handshakeMs: 5000, onConnection: () => undefined });
    const recorder = await startedClient(server.url, credentials);
    await clock.advance(5000);
    await recorder.closed;
    expect(recorder.transport.closeReason).toMatchObject({ details: { closeCode: 1013 } });
    expect(server.sockets.connections).toBe(0);
  });
});

describe('close()', () => {
  it('ends every connection with 1001, started or not, and refuses new ones', async () => {
    let count = 0;
    await using server = await startServer({
      server: createServer((_request, response) => response.writeHead(404).end()),
      async onConnection(transport) {
        count += 1;
        if (count === 1) await transport.start();
      },
    });
    const recorders = [
      await startedClient(server.url, credentials),
      await startedClient(server.url, credentials),
    ];
    await server.sockets.close();
    expect(server.sockets.connections).toBe(0);
    for (const { closed, transport } of recorders) {
      await closed;
      expect(transport.closeReason).toMatchObject({ details: { closeCode: 1001 }, retryable: true });
    }
    // Nothing listens to upgrades any more, so Node.js treats them as plain requests.
    expect(await failureOf(client(server.url, credentials).transport.start())).toMatchObject({
      code: 'ENDPOINT_INCOMPATIBLE',
      details: { status: 404 },
    });
  });

  it('admits no client any more, even if a check of credentials ends at that moment', async () => {
    const statuses = new Set<number>();
    for (let jobs = 0; jobs < 16; jobs++) {
      let admit: (verdict: true) => void = () => undefined;
      let asked: () => void = () => undefined;
      const began = new Promise<void>((resolve) => (asked = resolve));
      let closing = false;
      let letIn = 0;
      await using server = await startServer({
        async onConnection(transport) {
          if (closing) letIn += 1;
          await transport.start();
        },
        authenticate: () =>
          new Promise((resolve) => {
            admit = resolve;
            asked();
          }),
      });
      const waiting = askForUpgrade(server.port, {});
      await began;
      admit(true);
      for (let job = 0; job < jobs; job++) await Promise.resolve();
      closing = true;
      await server.sockets.close();
      statuses.add((await waiting).status);
      expect(letIn).toBe(0);
      expect(server.sockets.connections).toBe(0);
    }
    expect(statuses).toEqual(new Set([503, 101]));
  });

  it('does not wait for a client that does not answer, nor for a check that is not over', async () => {
    const { onConnection } = collector();
    let asked = (): void => undefined;
    const began = new Promise<void>((resolve) => (asked = resolve));
    await using server = await startServer({
      onConnection,
      authenticate: ({ headers }) => {
        if (headers['x-slow'] === undefined) return true;
        asked();
        return new Promise(() => undefined);
      },
    });
    const mute = new WebSocket(server.url, ['mcp']);
    mute.on('error', () => undefined);
    await once(mute, 'open');
    mute.pause();
    const waiting = askForUpgrade(server.port, { 'X-Slow': '1' });
    await began;
    await server.sockets.close();
    expect((await waiting).status).toBe(503);
    expect(server.sockets.connections).toBe(0);
    mute.terminate();
  });
});
