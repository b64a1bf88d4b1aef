import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { closeFrame, OPCODE, startRawServer } from './support/raw-server.js';

/**
 * What the WebSocket transport of SDK v1 does, beside ours. SDK v2 has none.
 * A failure in the half about the SDK means that it has changed, and this comparison with it.
 */
const notification: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/x' };
const ping: JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('beside SDK v1', () => {
  const before = globalThis.WebSocket;
  beforeEach(() => {
    // It wants the browser's class, which Node 20 does not have.
    Object.assign(globalThis, { WebSocket });
  });
  afterEach(() => {
    Object.assign(globalThis, { WebSocket: before });
  });

  it('credentials on the upgrade request: it takes a URL and nothing else', async () => {
    await using raw = await startRawServer();
    const theirs = new WebSocketClientTransport(new URL(raw.url));
    await theirs.start();
    const ours = createWebSocketTransport({ url: raw.url, apiKey: 'key-123456', closeTimeoutMs: 100 });
    await ours.start();
    expect(raw.heads.map((head) => /authorization: .+/i.exec(head)?.[0])).toEqual([
      undefined,
      'authorization: Bearer key-123456',
    ]);
    await Promise.all([theirs.close(), ours.close()]);
  });

  it('a message after the end: it is lost silently, ours is refused', async () => {
    await using raw = await startRawServer();
    const theirs = new WebSocketClientTransport(new URL(raw.url));
    const ended = new Promise<void>((resolve) => (theirs.onclose = resolve));
    await theirs.start();
    (await raw.connection()).socket.end(closeFrame(1001));
    await ended;
    await expect(theirs.send(notification)).resolves.toBeUndefined();

    const ours = createWebSocketTransport({ url: raw.url });
    const oursEnded = new Promise<void>((resolve) => (ours.onclose = resolve));
    await ours.start();
    (await raw.connection()).socket.end(closeFrame(1001));
    await oursEnded;
    expect(await failureOf(ours.send(notification))).toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'not-sent',
    });
  });

  it('a request that loses its connection: its send() had long succeeded, ours says what may have happened', async () => {
    await using raw = await startRawServer();
    const theirs = new WebSocketClientTransport(new URL(raw.url));
    await theirs.start();
    const first = await raw.connection();
    await expect(theirs.send(ping)).resolves.toBeUndefined();
    first.socket.resetAndDestroy();

    const ours = createWebSocketTransport({ url: raw.url });
    await ours.start();
    const second = await raw.connection();
    const lost = failureOf(ours.send(ping));
    await second.nextFrame();
    second.socket.resetAndDestroy();
    expect(await lost).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown' });
  });

  it('a peer that does not read: its send() returns at once and its buffer grows, ours waits', async () => {
    await using raw = await startRawServer();
    const large: JSONRPCMessage = { ...notification, params: { text: 'x'.repeat(32 * 1024 * 1024) } };
    const theirs = new WebSocketClientTransport(new URL(raw.url));
    await theirs.start();
    (await raw.connection()).socket.pause();
    await expect(theirs.send(large)).resolves.toBeUndefined();

    const ours = createWebSocketTransport({ url: raw.url, closeTimeoutMs: 100 });
    await ours.start();
    (await raw.connection()).socket.pause();
    let settled = false;
    const sent = ours.send(large).then(
      () => (settled = true),
      () => (settled = true),
    );
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    await ours.close();
    await sent;
  });

  it('a dead peer: it never looks, ours pings', async () => {
    await using raw = await startRawServer();
    const clock = createManualClock();
    const ours = createWebSocketTransport({ url: raw.url, clock, closeTimeoutMs: 100 });
    await ours.start();
    const peer = await raw.connection();
    await clock.advance(30_000);
    expect((await peer.nextFrame()).opcode).toBe(OPCODE.ping);
    expect(WebSocketClientTransport.toString()).not.toMatch(/ping|setTimeout|setInterval/);
    const gone = new Promise((resolve) => peer.socket.once('close', resolve));
    await clock.advance(30_000);
    await gone;
  });
});
