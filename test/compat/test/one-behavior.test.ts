import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import type { FittingsError } from '@mcp-fittings/client-core';
import { createHttpTransport, type HttpTransportOptions } from '@mcp-fittings/transport-http';
import { createSseTransport, type SseTransportOptions } from '@mcp-fittings/transport-sse';
import { createWebSocketTransport, type WebSocketTransportOptions } from '@mcp-fittings/transport-ws';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { failureOf } from '../../../packages/client-core/test/support/failure-of.js';

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } } as const;

/** What refused, dropped or misunderstood connections give over each remote wire: the failure of `start()`, or of the first send. */
const firstFailure: Readonly<
  Record<'http' | 'sse' | 'ws', (port: number, host?: string) => Promise<FittingsError>>
> = {
  async http(port, host = '127.0.0.1') {
    await using transport = createHttpTransport({ url: `http://${host}:${port}/mcp` });
    await transport.start();
    return await failureOf(transport.send(call));
  },
  async sse(port, host = '127.0.0.1') {
    await using transport = createSseTransport({ url: `http://${host}:${port}/sse` });
    return await failureOf(transport.start());
  },
  async ws(port, host = '127.0.0.1') {
    await using transport = createWebSocketTransport({
      url: `ws://${host}:${port}/mcp`,
      allowInsecure: true,
    });
    return await failureOf(transport.start());
  },
};

/** Listens on loopback and does this to each connection. */
async function listening(reply: string) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (reply === 'close' ? socket.destroy() : socket.end(reply)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The same words, whatever scheme and port. */
const withoutOrigin = (text: string | undefined): string | undefined =>
  text?.replace(/\b(?:http|ws)s?:\/\/127\.0\.0\.1:\d+/g, 'ORIGIN');

const wires = Object.entries(firstFailure);

describe('a connection that fails gives the same code, words and hint over http, sse and ws', () => {
  const peers: Readonly<Record<string, string | undefined>> = {
    'nothing listens there': undefined,
    'it hangs up without an answer': 'close',
    'it does not speak HTTP': 'SSH-2.0-OpenSSH_9.6\r\n',
  };
  it.each(Object.entries(peers))('%s', async (_, reply) => {
    const seen: unknown[] = [];
    for (const [, fail] of wires) {
      const peer = await listening(reply ?? 'close');
      if (reply === undefined) await peer[Symbol.asyncDispose]();
      const { code, kind, retryable, message, hint } = await fail(peer.port);
      seen.push({ code, kind, retryable, message: withoutOrigin(message), hint: withoutOrigin(hint) });
      if (reply !== undefined) await peer[Symbol.asyncDispose]();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });
});

it('what the remote transports share has the same name, place and type', () => {
  type Common =
    | 'url'
    | 'server'
    | 'headers'
    | 'apiKey'
    | 'auth'
    | 'maxMessageBytes'
    | 'retryLater'
    | 'signal'
    | 'logger'
    | 'clock';
  type Reached = 'proxy' | 'ca' | 'clientCertificate' | 'env';
  type Times = 'connectMs' | 'headersMs';
  type NetworkOf<Options extends { readonly network?: object | undefined }> = NonNullable<Options['network']>;
  type TimesOf<
    Options extends { readonly network?: { readonly timeouts?: object | undefined } | undefined },
  > = NonNullable<NonNullable<Options['network']>['timeouts']>;
  type Http = HttpTransportOptions;
  type Sse = SseTransportOptions;
  type Ws = WebSocketTransportOptions;
  expectTypeOf<Pick<Sse, Common>>().toEqualTypeOf<Pick<Http, Common>>();
  expectTypeOf<Pick<Ws, Common>>().toEqualTypeOf<Pick<Http, Common>>();
  expectTypeOf<Pick<NetworkOf<Sse>, Reached>>().toEqualTypeOf<Pick<NetworkOf<Http>, Reached>>();
  expectTypeOf<Pick<NetworkOf<Ws>, Reached>>().toEqualTypeOf<Pick<NetworkOf<Http>, Reached>>();
  expectTypeOf<Pick<TimesOf<Sse>, Times>>().toEqualTypeOf<Pick<TimesOf<Http>, Times>>();
  expectTypeOf<Pick<TimesOf<Ws>, Times>>().toEqualTypeOf<Pick<TimesOf<Http>, Times>>();
  expectTypeOf<Pick<Ws, 'closeTimeoutMs'>>().toEqualTypeOf<Pick<Http, 'closeTimeoutMs'>>();
});
