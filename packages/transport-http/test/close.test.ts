import { spawn } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpTransport, http } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { scriptedServer, type Exchange } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';
import { when } from './support/turns.js';

/** Returns the sockets that undici opens from now on, until the test ends. */
function openedSockets(): Socket[] {
  const sockets: Socket[] = [];
  const connected = channel('undici:client:connected');
  const onConnected = (message: unknown): void => {
    // The documentation of undici describes the message.
    sockets.push((message as { socket: Socket }).socket);
  };
  connected.subscribe(onConnected);
  onTestFinished(() => {
    connected.unsubscribe(onConnected);
  });
  return sockets;
}

describe('close()', () => {
  it.each([undefined, 's'])(
    'resolves when its sockets are closed, idle and in use; session: %s',
    async (session) => {
      const sockets = openedSockets();
      const streams = openStreams();
      await using server = await scriptedServer({
        ...(session !== undefined && { session }),
        on: { GET: streams.script, 'tools/call': () => undefined },
      });
      await using caller = await connect(createHttpTransport({ url: server.url }));
      const open = caller.request('tools/call').catch((error: unknown) => error);
      await server.until('tools/call');
      await server.until('GET');
      await caller.transport.close();
      expect(sockets.length).toBeGreaterThan(1);
      expect(sockets.map(({ closed }) => closed)).toEqual(sockets.map(() => true));
      expect(await open).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'unknown' });
    },
  );

  it.each([200, 204, 404, 405, 500])('ends the session, whatever the server says (%i)', async (status) => {
    await using server = await scriptedServer({
      session: 's',
      on: { DELETE: (exchange) => exchange.plain(status) },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, apiKey: 'key-0123456789' }));
    await caller.transport.close();
    expect(server.of('DELETE').map(({ headers }) => headers)).toMatchObject([
      { 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25', authorization: 'Bearer key-0123456789' },
    ]);
    expect(caller.errors).toEqual([]);
    expect(caller.closes).toBe(1);
    expect(caller.transport.closeReason).toBeUndefined();
  });

  it('ends a start that is still loading its code, and sends nothing', async () => {
    await using server = await scriptedServer({});
    const transport = createHttpTransport({ url: server.url });
    const errors: Error[] = [];
    transport.onerror = (error) => errors.push(error);
    const started = transport.start();
    const early = transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const closed = transport.close();
    await expect(early).rejects.toMatchObject({ code: 'TRANSPORT_NOT_STARTED', delivery: 'not-sent' });
    await expect(started).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    await closed;
    const late = transport.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    await expect(late).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'not-sent' });
    expect(transport.describe?.()).toMatchObject({ session: false, eventStream: 'off' });
    expect(server.sockets.size).toBe(0);
    expect(errors).toEqual([]);
  });

  it('does not wait forever for a server that does not answer', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({ session: 's', on: { DELETE: () => undefined } });
    await using caller = await connect(createHttpTransport({ url: server.url, clock }));
    const closed = caller.transport.close();
    await server.until('DELETE');
    await clock.advance(1000);
    await closed;
    expect(clock.pending).toBe(0);
    await when(() => server.sockets.size === 0);
  });

  it('does not wait for an auth provider that hangs', async () => {
    const clock = createManualClock();
    await using server = await scriptedServer({ session: 's' });
    let hang = false;
    const auth = {
      headers: () =>
        hang ? new Promise<never>(() => undefined) : Promise.resolve({ authorization: 'Bearer x' }),
      onChallenge: () => Promise.resolve('retry' as const),
    };
    await using caller = await connect(createHttpTransport({ url: server.url, clock, auth }));
    hang = true;
    const waiting = caller.request('tools/list').catch((error: unknown) => error);
    const note = caller.notify('notifications/x').catch((error: unknown) => error);
    const closed = caller.transport.close();
    expect(await waiting).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'not-sent' });
    await when(() => clock.pending > 0);
    await clock.advance(1000);
    await closed;
    expect(await note).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'not-sent' });
    expect(server.of('DELETE')).toHaveLength(0);
  });

  it('does not sign in again to end the session', async () => {
    let challenges = 0;
    await using server = await scriptedServer({
      session: 's',
      on: { DELETE: (exchange) => exchange.plain(401) },
    });
    const auth = {
      headers: () => Promise.resolve({ authorization: 'Bearer stale' }),
      onChallenge: () => {
        challenges++;
        return Promise.resolve('retry' as const);
      },
    };
    await using caller = await connect(createHttpTransport({ url: server.url, auth }));
    await caller.transport.close();
    expect(challenges).toBe(0);
    expect(server.of('DELETE')).toHaveLength(1);
  });

  it('sends no DELETE without a session, or when it is turned off', async () => {
    await using bare = await scriptedServer();
    await using kept = await scriptedServer({ session: 's' });
    await using first = await startCaller(createHttpTransport({ url: bare.url }));
    await using second = await startCaller(createHttpTransport({ url: kept.url, closeTimeoutMs: 0 }));
    await first.handshake();
    await second.handshake();
    await first.transport.close();
    await second.transport.close();
    expect([...bare.of('DELETE'), ...kept.of('DELETE')]).toEqual([]);
  });

  it('is what the signal of the host does', async () => {
    await using server = await scriptedServer({ session: 's' });
    const abort = new AbortController();
    const transport = http().create({ url: server.url }, { server: 'x', signal: abort.signal });
    await using caller = await connect(transport);
    abort.abort();
    await caller.until(() => caller.closes || undefined);
    // The session is ended after `onclose`; a second close() resolves when that is done.
    await transport.close();
    expect(server.of('DELETE')).toHaveLength(1);
  });

  it('leaves no timer, whatever was waiting', async () => {
    const clock = createManualClock();
    const polls = (exchange: Exchange): void => exchange.sse().event({ id: 'p', retry: 60_000 }).end();
    await using server = await scriptedServer({
      session: 's',
      on: {
        GET: polls,
        polled: polls,
        'tools/list': (exchange) => exchange.plain(429, '', { 'retry-after': '5' }),
        answered: (exchange) => void exchange.sse().result({}),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, clock }));
    for (const method of ['polled', 'polled', 'tools/list']) caller.request(method).catch(() => undefined);
    await caller.request('answered');
    // The server's own stream, two polls, the busy request, the stream that goes on after its answer.
    await when(() => clock.pending === 5);
    const closed = caller.transport.close();
    await when(() => server.of('DELETE').length === 1);
    await closed;
    expect(clock.pending).toBe(0);
  });
});

describe('a process', () => {
  it('ends at once after close(), with reconnects, a refusal and an open request under way', async () => {
    const polls = (exchange: Exchange): void => exchange.sse().event({ id: 'p', retry: 60_000 }).end();
    await using server = await scriptedServer({
      session: 's',
      on: {
        GET: polls,
        polled: polls,
        held: () => undefined,
        'tools/list': (exchange) => exchange.plain(429, '', { 'retry-after': '9' }),
      },
    });
    const probe = fileURLToPath(new URL('support/exit-probe.mjs', import.meta.url));
    const child = spawn(process.execPath, [probe, server.url], { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exited = once(child, 'exit');
    await Promise.all([
      server.until('GET'),
      server.until('polled', 2),
      server.until('held'),
      server.until('tools/list'),
    ]);
    await Promise.all([...server.of('polled'), ...server.of('tools/list')].map(({ ended }) => ended));
    const asked = performance.now();
    child.stdin.write('close\n');
    expect(await exited).toEqual([0, null]);
    // 60 s is what any timer left behind would have kept it.
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect(JSON.parse(output)).toEqual(Array.from({ length: 4 }, () => 'TRANSPORT_CLOSED'));
    expect(server.of('DELETE')).toHaveLength(1);
  });
});
