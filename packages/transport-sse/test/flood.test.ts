import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createSseTransport } from '@mcp-fittings/transport-sse';

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

it('a server that floods over legacy SSE is not read while its share is used up, and nothing is lost or reordered', async () => {
  let now = 100;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /post\n\n');
      return;
    }
    response.writeHead(202).end();
    for (let index = 0; index < TOTAL; index++) stream?.write(`data: ${notification(index)}\n\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A TCP server has an address object.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    for (const isLimited of [false, true]) {
      const transport = createSseTransport({ url });
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
    server.closeAllConnections();
    server.close();
  }
});
