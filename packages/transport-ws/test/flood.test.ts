import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';

/** Notifications without an end, each with its number. */
function notification(index: number): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'n', params: { index, text: 'x'.repeat(1000) } });
}

/** A promise, and what settles it. */
function settled(): { promise: Promise<string>; resolve: (value: string) => void } {
  let resolve: (value: string) => void = () => undefined;
  const promise = new Promise<string>((settle) => (resolve = settle));
  return { promise, resolve };
}

const TOTAL = 3000;

it('a server that floods over WebSocket is not read while its share is used up, and nothing is lost or reordered', async () => {
  let now = 100;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mcp' });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    socket.on('message', () => {
      for (let index = 0; index < TOTAL; index++) socket.send(notification(index));
    });
  });
  // A TCP server has an address object.
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    for (const isLimited of [false, true]) {
      const transport = createWebSocketTransport({ url, network: { env: {} }, closeTimeoutMs: 100 });
      const indexes: unknown[] = [];
      const begun = settled();
      const all = settled();
      transport.onmessage = (message) => {
        if (!('method' in message)) return;
        now += 1;
        indexes.push(message.params?.['index']);
        begun.resolve('begun');
        if (indexes.length === TOTAL) all.resolve('all');
      };
      if (isLimited) transport.limitUnsolicited?.(0.01);
      await transport.start();
      void transport.send({ jsonrpc: '2.0', id: 1, method: 'flood' }).catch(() => undefined);
      // The clock stands still between the messages: each wait of a limited one takes 300 ms at least.
      await begun.promise;
      const first = isLimited ? await Promise.race([all.promise, pause(600, 'others')]) : await all.promise;
      expect(first).toBe(isLimited ? 'others' : 'all');
      expect(indexes.length).toBeGreaterThan(0);
      expect(indexes).toEqual(Array.from(indexes, (_, index) => index));
      await transport.close();
    }
  } finally {
    clock.mockRestore();
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});
