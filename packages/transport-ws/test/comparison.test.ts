import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeFrame, startRawServer } from './support/raw-server.js';

/**
 * What the WebSocket transport of SDK v1 does; SDK v2 has none. The tests of what ours does instead are named.
 * A failure means that the SDK has changed, and this comparison with it.
 */
const notification: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/x' };

describe('the transport of SDK v1', () => {
  const before = globalThis.WebSocket;
  beforeEach(() => {
    // It wants the browser's class, which Node 20 does not have.
    Object.assign(globalThis, { WebSocket });
  });
  afterEach(() => {
    Object.assign(globalThis, { WebSocket: before });
  });

  async function connected() {
    const raw = await startRawServer();
    const transport = new WebSocketClientTransport(new URL(raw.url));
    await transport.start();
    const { socket } = await raw.connection();
    return { raw, transport, socket, [Symbol.asyncDispose]: () => raw[Symbol.asyncDispose]() };
  }

  it('sends no credentials with the upgrade request: it takes a URL and nothing else (handshake.test.ts)', async () => {
    await using theirs = await connected();
    expect(theirs.raw.heads[0]).not.toMatch(/authorization/i);
    await theirs.transport.close();
  });

  it('loses a message after the end silently (drop.test.ts)', async () => {
    await using theirs = await connected();
    const ended = new Promise<void>((resolve) => (theirs.transport.onclose = resolve));
    theirs.socket.end(closeFrame(1001));
    await ended;
    await expect(theirs.transport.send(notification)).resolves.toBeUndefined();
  });

  it('has long succeeded in sending a request that then loses its connection (drop.test.ts)', async () => {
    await using theirs = await connected();
    await expect(theirs.transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).resolves.toBeUndefined();
    theirs.socket.resetAndDestroy();
  });

  it('grows its buffer for a peer that does not read (back-pressure.test.ts)', async () => {
    await using theirs = await connected();
    theirs.socket.pause();
    const large: JSONRPCMessage = { ...notification, params: { text: 'x'.repeat(32 * 1024 * 1024) } };
    await expect(theirs.transport.send(large)).resolves.toBeUndefined();
  });

  it('never looks whether its peer is dead (heartbeat.test.ts)', () => {
    expect(WebSocketClientTransport.toString()).not.toMatch(/ping|setTimeout|setInterval/);
  });
});
