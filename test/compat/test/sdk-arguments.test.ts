import {
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@mcp-fittings/client-core';
import { createHttpTransport, type HttpTransportOptions } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { expect, it } from 'vitest';
import { scriptedServer } from '../../../packages/transport-http/test/support/scripted-server.js';
import { startSseServer } from '../../../packages/transport-sse/test/support/sse-server.js';
import { serveV1, startServer } from '../../../packages/transport-ws/test/support/mcp-server.js';
import { TOKEN } from './support/wire-servers.js';

type Starts = Pick<Transport, 'start' | 'send' | 'close'>;
interface Init {
  readonly requestInit: RequestInit;
}
/** What the factories of ours have in common. */
interface Factory {
  (options: OurOptions & { readonly url: string | URL }): Starts;
  (url: string | URL, options?: OurOptions): Starts;
}
type OurOptions = Pick<HttpTransportOptions, 'headers' | 'requestInit'>;

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const ANSWER = { jsonrpc: '2.0', id: 1, result: {} };

/** `x-` headers and `authorization` of all requests that a transport makes for one message. */
type Wire = (make: (url: string) => Starts) => Promise<readonly Record<string, unknown>[]>;

const http: Wire = async (make) => {
  await using server = await scriptedServer();
  const transport = make(server.url);
  await transport.start();
  await transport.send(PING);
  await transport.close();
  return server.received.map(({ headers }) => own(headers));
};

const sse: Wire = async (make) => {
  await using server = await startSseServer({
    onPost(_request, response, stream) {
      response.writeHead(202).end();
      stream?.message(ANSWER);
    },
  });
  const transport = make(server.url);
  await transport.start();
  await transport.send(PING);
  await transport.close();
  return server.seen.map(({ headers }) => own(headers));
};

interface WireCase {
  readonly watch: Wire;
  readonly requests: number;
  readonly ours: Factory;
  readonly theirs: readonly (new (url: URL, init: Init) => Starts)[];
}

function own(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('x-') || name === 'authorization'),
  );
}

const repeated = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const wires: Record<'http' | 'sse', WireCase> = {
  http: {
    watch: http,
    requests: 1,
    ours: createHttpTransport,
    theirs: [HttpV1, HttpV2],
  },
  sse: {
    watch: sse,
    requests: 2,
    ours: createSseTransport,
    theirs: [SseV1, SseV2],
  },
};

const GIVEN = { authorization: 'Bearer a-token-0123456789', 'x-key': 'one' };

it.each(['http', 'sse'] as const)('%s is made by a URL, a URL and options, or options', async (kind) => {
  const { watch, ours, requests } = wires[kind];
  const all = repeated(requests, { 'x-key': 'one' });
  const headers = { 'x-key': 'one' };
  expect(await watch((url) => ours(new URL(url)))).toEqual(repeated(requests, {}));
  expect(await watch((url) => ours(url))).toEqual(repeated(requests, {}));
  expect(await watch((url) => ours(new URL(url), { headers }))).toEqual(all);
  expect(await watch((url) => ours(url, { headers }))).toEqual(all);
  expect(await watch((url) => ours({ url, headers }))).toEqual(all);
  expect(await watch((url) => ours({ url, requestInit: { headers } }))).toEqual(all);
});

it.each(['http', 'sse'] as const)(
  '%s sends the headers of `requestInit` with every request, as both SDKs do, in each form',
  async (kind) => {
    const { watch, ours, theirs, requests } = wires[kind];
    const forms: readonly [RequestInit, Record<string, string>][] = [
      [{ headers: GIVEN }, GIVEN],
      [{ headers: Object.entries(GIVEN) }, GIVEN],
      [{ headers: new Headers(GIVEN) }, GIVEN],
      [
        {
          headers: [
            ['x-key', 'one'],
            ['X-Key', 'two'],
          ],
        },
        { 'x-key': 'one, two' },
      ],
    ];
    for (const [requestInit, sent] of forms) {
      const expected = repeated(requests, sent);
      for (const SdkTransport of theirs) {
        expect(await watch((url) => new SdkTransport(new URL(url), { requestInit }))).toEqual(expected);
      }
      expect(await watch((url) => ours(new URL(url), { requestInit }))).toEqual(expected);
    }
  },
);

it.each(['http', 'sse'] as const)('%s prefers `headers` to those of `requestInit`', async (kind) => {
  const { watch, ours, requests } = wires[kind];
  const options = {
    headers: { 'X-Key': 'ours' },
    requestInit: { headers: { 'x-key': 'theirs', 'x-b': 'b' } },
  };
  expect(await watch((url) => ours(url, options))).toEqual(
    repeated(requests, { 'x-key': 'ours', 'x-b': 'b' }),
  );
});

it.each(['http', 'sse'] as const)('%s takes nothing else of `requestInit`', (kind) => {
  const url = new URL('http://127.0.0.1:1/mcp');
  const signal = new AbortController().signal;
  for (const [name, value] of Object.entries({ signal, redirect: 'error', dispatcher: {} })) {
    const requestInit = { headers: {}, [name]: value };
    expect(() => wires[kind].ours(url, { requestInit })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(`\`requestInit.${name}\``),
        hint: expect.stringMatching(/`signal`.*`network`/),
      }),
    );
  }
  expect(() => wires[kind].ours(url, { requestInit: { headers: { Accept: 'x/y' } } })).toThrow(
    expect.objectContaining({ code: 'HEADER_INVALID' }),
  );
});

it('ws is made by a URL, a URL and options, or options', async () => {
  await using server = await startServer({ authenticate: () => true, onConnection: serveV1 });
  for (const make of [
    () => createWebSocketTransport(new URL(server.url)),
    () => createWebSocketTransport(server.url),
    () => createWebSocketTransport(new URL(server.url), { apiKey: TOKEN }),
    () => createWebSocketTransport({ url: server.url }),
  ]) {
    const transport = make();
    await transport.start();
    await transport.close();
  }
});

it.each([
  ['http', createHttpTransport],
  ['sse', createSseTransport],
  ['ws', createWebSocketTransport],
])('%s without any URL says so', (_, make) => {
  const untyped = make as (first?: unknown) => unknown;
  for (const nothing of [undefined, null, 1, []]) {
    expect(() => untyped(nothing)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('first argument') }),
    );
  }
});

it('close() ends the session on the server, as terminateSession() of the SDK does', async () => {
  await using server = await scriptedServer({ session: 'session-0123456789' });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(createHttpTransport(new URL(server.url)));
  await client.close();
  expect(server.of('DELETE').map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-0123456789']);
});
