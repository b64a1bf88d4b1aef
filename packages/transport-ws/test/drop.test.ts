import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import type { TransportError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { startedClient } from './support/clients.js';
import { listen } from './support/net.js';
import { closeFrame, jsonFrame, startRawServer } from './support/raw-server.js';

const MIB = 1024 * 1024;

describe('a connection that drops', () => {
  it.each([
    ['a close frame', (socket: Socket) => socket.end(closeFrame(1012, 'restart')), 1012, undefined],
    [
      'a reset',
      (socket: Socket) => socket.resetAndDestroy(),
      1006,
      expect.objectContaining({ code: 'ECONNRESET' }),
    ],
    ['an end without close frame', (socket: Socket) => socket.end(), 1006, undefined],
  ])(
    '%s fails every pending request at once and says what may have happened',
    async (_, drop, closeCode, cause) => {
      await using raw = await startRawServer();
      const recorder = await startedClient(raw.url, { server: 'ide' });
      const peer = await raw.connection();
      const requests = [1, 2, 'three'].map((id) => failureOf(recorder.request(id, 'tools/call')));
      await peer.nextFrame();
      drop(peer.socket);
      for (const error of await Promise.all(requests)) {
        expect(error).toMatchObject({
          code: 'CONNECTION_LOST',
          kind: 'network-temporary',
          delivery: 'unknown',
          server: 'ide',
          details: { closeCode },
        });
      }
      await recorder.closed;
      expect(recorder.closes).toHaveLength(1);
      expect(recorder.closes[0]).toMatchObject({ code: 'CONNECTION_LOST', details: { closeCode } });
      expect(recorder.closes[0]?.cause).toEqual(cause);
      // After that nothing is sent.
      expect(await failureOf(recorder.request(9))).toMatchObject({
        code: 'CONNECTION_LOST',
        delivery: 'not-sent',
      });
      expect(await failureOf(recorder.notify('notifications/x'))).toMatchObject({ delivery: 'not-sent' });
      await recorder.transport.close();
      expect(recorder.closes).toHaveLength(1);
    },
  );

  it('an answer in the last segment before the drop still counts', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url);
    const peer = await raw.connection();
    const answered = recorder.request(1);
    const lost = failureOf(recorder.request(2));
    await peer.nextFrame();
    const answer = jsonFrame({ jsonrpc: '2.0', id: 1, result: {} });
    const progress = jsonFrame({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
    peer.socket.end(Buffer.concat([progress, answer, closeFrame(1001)]));
    await answered;
    expect(await lost).toMatchObject({ delivery: 'unknown' });
    expect(recorder.messages).toHaveLength(2);
  });

  it('what waited in the queue is `not-sent`, what was handed to the socket is `unknown`', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url);
    const peer = await raw.connection();
    peer.socket.pause();
    const text = 'x'.repeat(4 * MIB);
    // Larger than the buffers of both ends: it stays on its way, and the next ones wait behind it.
    const handed = failureOf(recorder.request(1, 'kit/big', { text: text.repeat(4) }));
    const waiting = [2, 3].map((id) => failureOf(recorder.request(id, 'kit/big', { text })));
    const notification = failureOf(recorder.notify('notifications/x'));
    await new Promise((resolve) => setImmediate(resolve));
    peer.socket.resetAndDestroy();
    expect(await handed).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown' });
    for (const error of await Promise.all([...waiting, notification])) {
      expect(error).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'not-sent' });
    }
  });

  it('the same holds when we close', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url);
    const peer = await raw.connection();
    peer.socket.pause();
    const text = 'x'.repeat(16 * MIB);
    const handed = failureOf(recorder.request(1, 'kit/big', { text }));
    const waiting = failureOf(recorder.request(2));
    await new Promise((resolve) => setImmediate(resolve));
    await recorder.transport.close();
    expect(await handed).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'unknown' });
    expect(await waiting).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'not-sent' });
    expect(recorder.transport.closeReason).toBeUndefined();
  });

  it('a message for a peer that has begun to close is `not-sent`', async () => {
    await using raw = await startRawServer();
    // The peer sends its close frame and keeps the socket.
    const recorder = await startedClient(raw.url, { closeTimeoutMs: 300 });
    const peer = await raw.connection();
    const seen = failureOf(recorder.request(1));
    await peer.nextFrame();
    peer.socket.write(closeFrame(1001));
    await peer.nextFrame();
    expect(await failureOf(recorder.request(2))).toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'not-sent',
    });
    // A peer that never ends the TCP connection is not waited for without end.
    expect(await seen).toMatchObject({ delivery: 'unknown', details: { closeCode: 1001 } });
  });

  it('says goodbye with 1000, and does not wait for ever for the answer', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url);
    const peer = await raw.connection();
    const pending = failureOf(recorder.request(1));
    await peer.nextFrame();
    const gone = new Promise((resolve) => peer.socket.once('close', resolve));
    const closing = recorder.transport.close();
    expect((await peer.nextFrame()).payload.readUInt16BE(0)).toBe(1000);
    await closing;
    await gone;
    expect(await pending).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'unknown' });
    expect(recorder.closes).toEqual([undefined]);
  });

  it('no secret of the connection shows in the error or the transport', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(`${raw.url}?key=canary-query`, {
      apiKey: 'canary-token',
      headers: { 'X-Secret': 'canary-header' },
    });
    const peer = await raw.connection();
    peer.socket.resetAndDestroy();
    await recorder.closed;
    const shown = [recorder.transport, recorder.transport.closeReason, recorder.transport.describe?.()];
    expect(inspect(shown, { depth: 10, showHidden: true })).not.toContain('canary');
    expect(JSON.stringify(shown)).not.toContain('canary');
  });
});

describe('a server that is killed under load', () => {
  it('never saw what failed as `not-sent`, and every call ends at once', async () => {
    const seen = new Set<unknown>();
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    const enough = new Promise<void>((resolve) => {
      sockets.on('connection', (webSocket) => {
        webSocket.on('message', (data: Buffer) => {
          const { id } = JSON.parse(data.toString()) as { id: number };
          seen.add(id);
          if (id % 3 !== 0) webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
          if (seen.size === 100) resolve();
        });
      });
    });
    await using listening = await listen(server);
    const recorder = await startedClient(`ws://127.0.0.1:${listening.port}/`);
    const text = 'x'.repeat(100 * 1024);
    const calls = Array.from({ length: 400 }, async (_, id) => {
      try {
        await recorder.request(id, 'tools/call', { text });
        return { id, delivery: 'answered' };
      } catch (error) {
        return { id, delivery: (error as TransportError).delivery };
      }
    });
    await enough;
    for (const socket of listening.sockets) socket.destroy();
    const ends = await Promise.all(calls);
    const idsOf = (delivery: string): number[] =>
      ends.filter((end) => end.delivery === delivery).map(({ id }) => id);
    expect(idsOf('not-sent').filter((id) => seen.has(id))).toEqual([]);
    expect(idsOf('answered').filter((id) => !seen.has(id))).toEqual([]);
    // All three happened, and nothing else.
    for (const delivery of ['answered', 'unknown', 'not-sent']) {
      expect(idsOf(delivery).length, delivery).toBeGreaterThan(0);
    }
    expect(idsOf('answered').length + idsOf('unknown').length + idsOf('not-sent').length).toBe(400);
  });
});
