import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { createSseTransport, type SseTransportOptions } from '../src/index.js';
import { listen, notification, request } from './support/session.js';
import { echoing, startSseServer, type SseBehavior } from './support/sse-server.js';

async function connected(behavior: SseBehavior = {}, options: Partial<SseTransportOptions> = {}) {
  const server = await startSseServer(behavior);
  const transport = createSseTransport({ url: server.url, server: 'one', ...options });
  const session = listen(transport);
  await transport.start();
  const stream = await server.stream(0);
  return {
    server,
    transport,
    session,
    stream,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('the end of the stream', () => {
  it.each(['end', 'cut'] as const)(
    'fails every open request at once and ends the transport: %s',
    async (how) => {
      await using peer = await connected();
      const open = [1, 2, 3].map((id) => failureOf(peer.transport.send(request(id, 'tools/call'))));
      while (peer.server.seen.length < 4) await new Promise((resolve) => setImmediate(resolve));
      peer.stream[how]();
      for (const failure of await Promise.all(open)) {
        expect(failure).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown', server: 'one' });
      }
      await peer.session.closed;
      expect(peer.session.closes).toBe(1);
      expect(peer.transport.closeReason).toMatchObject({ code: 'CONNECTION_LOST', retryable: true });
      expect(await failureOf(peer.transport.send(request(4)))).toMatchObject({ delivery: 'not-sent' });
      // A new stream would be a new session, which was never initialized.
      expect(peer.server.streams).toHaveLength(1);
    },
  );

  it.each(['end', 'cut'] as const)(
    'has the reason that the server sent in an event "error": %s',
    async (how) => {
      await using peer = await connected({}, { apiKey: 'sk-live-0123456789' });
      const open = failureOf(peer.transport.send(request(1, 'tools/call')));
      while (peer.server.seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
      peer.stream.event('error', 'too many sessions for sk-live-0123456789');
      peer.stream.message({ jsonrpc: '2.0', method: 'notifications/x' });
      while (peer.session.messages.length === 0) await new Promise((resolve) => setImmediate(resolve));
      peer.stream[how]();
      expect(await open).toMatchObject({
        code: 'CONNECTION_LOST',
        delivery: 'unknown',
        message: expect.stringContaining('too many sessions for [redacted]'),
      });
    },
  );

  it('before the endpoint has the reason too', async () => {
    await using server = await startSseServer({
      onStream: (stream) => {
        stream.event('error', 'too many sessions');
        stream.end();
      },
    });
    const transport = createSseTransport({ url: server.url });
    await expect(transport.start()).rejects.toMatchObject({
      message: expect.stringContaining('too many sessions'),
    });
  });

  it('says not-sent for what still waits for its credentials', async () => {
    let headers: () => Promise<Record<string, string>> = () => Promise.resolve({});
    const auth = { headers: () => headers(), onChallenge: () => Promise.resolve('retry' as const) };
    await using peer = await connected({}, { auth });
    headers = () => new Promise(() => undefined);
    const waiting = failureOf(peer.transport.send(request(1)));
    peer.stream.end();
    expect(await waiting).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'not-sent' });
  });

  it('close() ends the stream, and takes an open message with it', async () => {
    await using peer = await connected({ onPost: () => undefined });
    const sent = failureOf(peer.transport.send(notification('notifications/x')));
    while (peer.server.seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await peer.transport.close();
    await peer.stream.closed;
    expect(await sent).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'unknown' });
    expect(peer.transport.closeReason).toBeUndefined();
  });
});

describe('the answer to a POST', () => {
  it('is accepted with its head, whatever body follows, and does not pile up', async () => {
    const behavior: SseBehavior = {
      onPost(seen, response, stream) {
        response.writeHead(200, { 'content-type': seen.headers['x-type'] ?? 'text/event-stream' });
        response.write('x'.repeat(100_000));
        const { id } = JSON.parse(seen.body) as { id?: number };
        if (id !== undefined) stream?.message({ jsonrpc: '2.0', id, result: {} });
      },
    };
    await using events = await connected(behavior);
    for (let turn = 0; turn < 40; turn++) await events.transport.send(notification('notifications/x'));
    await events.transport.send(request(1));
    await using page = await connected(behavior, { headers: { 'x-type': 'text/plain' } });
    for (let turn = 0; turn < 40; turn++) await page.transport.send(notification('notifications/x'));
    await page.transport.send(request(1));
  });

  it('is no longer waited for when the caller gives up, and the signal is left alone', async () => {
    const arrived: string[] = [];
    await using peer = await connected({
      onPost(seen, response) {
        arrived.push(seen.body);
        if (!seen.body.includes('slow')) response.writeHead(202).end();
      },
    });
    const control = new AbortController();
    const options = { requestSignal: control.signal };
    const slow = failureOf(peer.transport.send(request(1, 'slow'), options));
    const held = failureOf(peer.transport.send(request(2, 'other'), options));
    const note = { jsonrpc: '2.0', method: 'notifications/slow' } as const;
    const told = failureOf(peer.transport.send(note, options));
    while (arrived.length < 3) await new Promise((resolve) => setImmediate(resolve));
    control.abort('enough');
    for (const failure of [await slow, await held, await told]) {
      expect(failure).toMatchObject({ code: 'ABORTED', delivery: 'unknown', cause: 'enough' });
    }
    expect(peer.session.closes).toBe(0);
  });
});

describe('messages on the stream', () => {
  it('of another name are ignored, and so are unknown fields', async () => {
    await using peer = await connected();
    const { session, stream } = peer;
    const message = JSON.stringify(notification('notifications/x'));
    stream.write(`event: ping\ndata: ${message}\n\nevent: Message\ndata: ${message}\n\n`);
    stream.write(`foo: bar\nid: 5\nretry: 1\nevent: message\ndata: ${message}\n\n`);
    stream.write(`data: ${message}\n\n`);
    await session.received(2);
    expect(session.messages).toHaveLength(2);
    expect(session.errors).toEqual([]);
  });

  it('lines of data without end are refused, and the transport ends', async () => {
    await using peer = await connected({}, { maxMessageBytes: 100_000 });
    const open = failureOf(peer.transport.send(request(1)));
    const stream = { over: false };
    void peer.stream.closed.then(() => (stream.over = true));
    while (!stream.over) {
      peer.stream.write('data: x\n'.repeat(100));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await open).toMatchObject({ code: 'MESSAGE_TOO_LARGE', delivery: 'unknown', server: 'one' });
    await peer.session.closed;
    expect(peer.transport.closeReason?.code).toBe('MESSAGE_TOO_LARGE');
  });
});

describe('the idle limit', () => {
  it('is not defeated by what only keeps the connection alive', async () => {
    const clock = createManualClock();
    await using peer = await connected({}, { clock, idleMs: 10_000 });
    const open = failureOf(peer.transport.send(request(1)));
    for (let turn = 0; turn < 9; turn++) {
      peer.stream.write(': keep-alive\n\nevent: ping\ndata: {}\n\n');
      await clock.advance(1000);
    }
    expect(peer.session.closes).toBe(0);
    await clock.advance(1000);
    expect(await open).toMatchObject({ code: 'TIMEOUT', delivery: 'unknown' });
    await peer.session.closed;
    expect(peer.transport.closeReason).toMatchObject({ code: 'TIMEOUT', retryable: true });
    expect(clock.pending).toBe(0);
  });

  it('starts over with every message, sent or received', async () => {
    const clock = createManualClock();
    await using peer = await connected(echoing, { clock, idleMs: 10_000 });
    await clock.advance(9000);
    await peer.transport.send(request(1));
    await clock.advance(9000);
    peer.stream.message(notification('notifications/x'));
    await peer.session.received(2);
    await clock.advance(9000);
    expect(peer.session.closes).toBe(0);
    await clock.advance(1000);
    await peer.session.closed;
  });

  it('is off unless it is set, without a timer', async () => {
    const clock = createManualClock();
    await using peer = await connected(echoing, { clock });
    expect(clock.pending).toBe(0);
    await clock.advance(1e9);
    await peer.transport.send(request(1));
    expect(peer.session.closes).toBe(0);
  });

  it('a peer that sends nothing at all can be disconnected', async () => {
    await using peer = await connected({}, { network: { timeouts: { bodyIdleMs: 200 } } });
    await peer.session.closed;
    expect(peer.transport.closeReason).toMatchObject({ code: 'TIMEOUT' });
  });
});
