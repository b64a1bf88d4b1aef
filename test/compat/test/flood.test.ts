import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { expect, it, vi } from 'vitest';

const TOTAL = 3000;
/** What the server sends: notifications, each with its number. */
const FLOOD = Array.from({ length: TOTAL }, (_, index): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'n',
  params: { index, text: 'x'.repeat(1000) },
}));
const EVENTS = FLOOD.map((message) => `data: ${JSON.stringify(message)}\n\n`);

interface Flooding extends AsyncDisposable {
  open(): Transport;
}

/** Listens on loopback. */
async function listening(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    server,
    // A TCP server has an address object.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers each POST with an event stream, which `write` writes. */
const streaming = (write: (response: ServerResponse) => void) =>
  listening((request, response) => {
    request.resume();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    write(response.writeHead(200, { 'content-type': 'text/event-stream' }));
  });

/** A server for each wire, which floods as soon as it gets a message. */
const floods: Readonly<Record<'HTTP' | 'legacy SSE' | 'WebSocket', () => Promise<Flooding>>> = {
  async HTTP() {
    const server = await streaming((response) => {
      for (const event of EVENTS) response.write(event);
    });
    return { ...server, open: () => createHttpTransport({ url: server.url }) };
  },
  async 'legacy SSE'() {
    let stream: ServerResponse | undefined;
    const server = await listening((request, response) => {
      request.resume();
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void stream.write('event: endpoint\ndata: /post\n\n');
      }
      response.writeHead(202).end();
      for (const event of EVENTS) stream?.write(event);
    });
    return { ...server, open: () => createSseTransport({ url: server.url }) };
  },
  async WebSocket() {
    const http = await listening(() => undefined);
    const token = 'a-token-of-enough-length';
    const server = createWebSocketServer({
      server: http.server,
      token,
      async onConnection(transport) {
        transport.onmessage = () => {
          for (const message of FLOOD) void transport.send(message).catch(() => undefined);
        };
        await transport.start();
      },
    });
    return {
      open: () => createWebSocketTransport({ url: http.url.replace('http', 'ws'), apiKey: token }),
      async [Symbol.asyncDispose]() {
        await server.close();
        await http[Symbol.asyncDispose]();
      },
    };
  },
};

/** A promise, and what settles it. */
function settled(): { promise: Promise<string>; resolve: (value: string) => void } {
  let resolve: (value: string) => void = () => undefined;
  const promise = new Promise<string>((settle) => (resolve = settle));
  return { promise, resolve };
}

it.each(Object.entries(floods))(
  'a server that floods over %s is not read while its share is used up, and nothing is lost or reordered',
  async (_, startServer) => {
    let now = 100;
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    await using server = await startServer();
    for (const isLimited of [false, true]) {
      const transport = server.open();
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
      expect(indexes).toEqual(Array.from(indexes, (_each, index) => index));
      await transport.close();
    }
  },
);

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
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
    const flood = Array.from({ length: 400_000 }, (_each, n) => noise(n)).join('');
    await using server = await streaming((response) => {
      response.write(flood);
      response.end('\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    });
    for (const isLimited of [false, true]) {
      const transport = createHttpTransport({ url: server.url });
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
  },
);
