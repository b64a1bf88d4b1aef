import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createHttpTransport } from '@mcp-fittings/transport-http';

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

it('a server that floods over HTTP is not read while its share is used up, and nothing is lost or reordered', async () => {
  let now = 100;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let index = 0; index < TOTAL; index++) response.write(`data: ${notification(index)}\n\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A TCP server has an address object.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    for (const isLimited of [false, true]) {
      const transport = createHttpTransport({ url });
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

/** What a stream may contain besides messages; `n` is a number. */
const NOISE: Readonly<Record<string, (n: number) => string>> = {
  comments: (n) => `: ${n}\n`,
  'comments that end an event': (n) => `: ${n}\n\n`,
  'empty lines': () => '\n'.repeat(8),
  ids: (n) => `id: ${n}\n`,
  'events with an id only': (n) => `id: ${n}\n\n`,
  'retry lines': (n) => `retry: ${n}\n`,
  'unknown fields': (n) => `field: ${n}\n`,
  names: (n) => `event: ${n}\n`,
  'events with other names': (n) => `event: tick\ndata: ${n}\n\n`,
  'events with empty data': () => 'data:\n\n',
};

it.each(Object.entries(NOISE))(
  'a server that floods with %s is not read while its share is used up',
  async (_, noise) => {
    let now = 100;
    // Each look at the clock takes 5 ms of it, whatever the machine does meanwhile.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
    const flood = Array.from({ length: 400_000 }, (_each, n) => noise(n)).join('');
    const server = createServer((request, response) => {
      request.resume();
      if (request.method !== 'POST') return void response.writeHead(405).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(flood);
      response.end('\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // A TCP server has an address object.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      for (const isLimited of [false, true]) {
        const transport = createHttpTransport({ url });
        if (isLimited) transport.limitUnsolicited?.(0.01);
        await transport.start();
        const answered = transport.send({ jsonrpc: '2.0', id: 1, method: 'flood' }).then(
          () => 'answered',
          () => 'closed',
        );
        // What is read at once uses up several seconds of the share.
        const first = isLimited ? await Promise.race([answered, pause(300, 'waits')]) : await answered;
        expect(first).toBe(isLimited ? 'waits' : 'answered');
        await transport.close();
      }
    } finally {
      clock.mockRestore();
      server.closeAllConnections();
      server.close();
    }
  },
);
