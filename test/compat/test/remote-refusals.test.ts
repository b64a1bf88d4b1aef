import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { type Delivery, type ErrorKind, FittingsError, type Transport } from '@mcp-fittings/client-core';
import type { RetryLaterOptions } from '@mcp-fittings/toolbox/refusal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../../packages/client-core/test/support/failure-of.js';

/** What the server answers to the one request of a case. */
interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the caller gets: everything in an error that a program or a person acts on. */
interface Outcome {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  readonly delivery: Delivery | undefined;
  readonly hint: string | undefined;
}

const ID = 7;

/** One server for all wires. It refuses what names a case in its query or its parameters, and accepts everything else. */
async function startServer(refusalOf: (name: string) => Refusal | undefined) {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const message = text === '' ? {} : (JSON.parse(text) as { params?: { name?: string } });
      const url = new URL(request.url ?? '/', 'http://x');
      const refusal = refusalOf(message.params?.name ?? url.searchParams.get('case') ?? '');
      if (refusal !== undefined) {
        response.writeHead(refusal.status, refusal.headers).end(refusal.body);
      } else if (request.method === 'GET' && url.pathname === '/sse') {
        streams.add(response);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('event: endpoint\ndata: /messages\n\n');
      } else if (url.pathname === '/messages') {
        response.writeHead(202).end();
        for (const stream of streams)
          stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: ID, result: {} })}\n\n`);
      } else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: ID, result: {} }));
      }
    });
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (request, socket) => {
    const name = new URL(request.url ?? '/', 'http://x').searchParams.get('case') ?? '';
    const { status, headers, body } = refusalOf(name) ?? { status: 418, headers: {}, body: '' };
    const fields = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
    const head = [`HTTP/1.1 ${status} Whatever`, `content-length: ${Buffer.byteLength(body)}`, ...fields];
    socket.on('error', () => undefined);
    socket.end(`${[...head, 'connection: close'].join('\r\n')}\r\n\r\n${body}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const cases = new Map<string, Refusal>();
/** How often a case is refused before it is accepted. */
const times = new Map<string, number>();
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  server = await startServer((name) => {
    const left = times.get(name) ?? Infinity;
    times.set(name, left - 1);
    return left > 0 ? cases.get(name) : undefined;
  });
});
afterAll(() => server.close());

const apiKey = 'a-token-of-enough-length';
const NOT_AGAIN: RetryLaterOptions = { maxAttempts: 0 };

type Wire = 'http POST' | 'sse POST' | 'sse GET' | 'ws upgrade';
type Work = (name: string, method: string, retryLater?: RetryLaterOptions) => Promise<void>;

/** Does over each wire what is refused; rejects with what the caller gets. */
const over: Record<Wire, Work> = {
  async 'http POST'(name, method, retryLater = NOT_AGAIN) {
    const options = { url: `http://${server.host}/mcp`, apiKey, retryLater };
    await using transport = createHttpTransport(options) as Transport & AsyncDisposable;
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: ID, method, params: { name } });
  },
  async 'sse POST'(name, method, retryLater = NOT_AGAIN) {
    const options = { url: `http://${server.host}/sse`, apiKey, retryLater };
    await using transport = createSseTransport(options) as Transport & AsyncDisposable;
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: ID, method, params: { name } });
  },
  async 'sse GET'(name, _, retryLater = NOT_AGAIN) {
    const options = { url: `http://${server.host}/sse?case=${encodeURIComponent(name)}`, apiKey, retryLater };
    await using transport = createSseTransport(options) as Transport & AsyncDisposable;
    await transport.start();
  },
  async 'ws upgrade'(name, _, retryLater = NOT_AGAIN) {
    const options = { url: `ws://${server.host}/ws?case=${encodeURIComponent(name)}`, apiKey, retryLater };
    await createWebSocketTransport(options).start();
  },
};

async function outcomeOf(work: Promise<void>): Promise<Outcome | 'answered'> {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error === undefined) return 'answered';
  if (!(error instanceof FittingsError)) throw error;
  const { code, kind, retryable, delivery, hint } = error;
  return { code, kind, retryable, delivery, hint };
}

const SIGN_IN = 'Check the configured credentials, or sign in.';
const WIDEN = 'Sign in again and grant the scopes that the server asks for.';
const RIGHTS = 'Check the permissions of the account, and which Origin and Host headers the server accepts.';
const LATER = 'Try again later. If the server said when, `details.retryAfterMs` has the wait.';
const refused: Outcome = {
  code: 'HTTP_STATUS',
  kind: 'network-permanent',
  retryable: false,
  delivery: 'rejected',
  hint: undefined,
};
const broken: Outcome = {
  code: 'SERVER_ERROR',
  kind: 'network-temporary',
  retryable: true,
  delivery: 'unknown',
  hint: undefined,
};
const busy: Outcome = {
  code: 'RATE_LIMITED',
  kind: 'network-temporary',
  retryable: true,
  delivery: 'rejected',
  hint: LATER,
};
const unauthorized: Outcome = { ...refused, code: 'AUTH_REJECTED', kind: 'auth', hint: SIGN_IN };
const SCOPE = { 'www-authenticate': 'Bearer realm="x", error="insufficient_scope", scope="more"' };
const WAIT = { 'retry-after': '120' };

/** Every refusal and what it means, whichever wire it comes over. */
const plain = (status: number, means: Outcome) => [status, {}, means] as const;
// prettier-ignore
const rows: readonly (readonly [number, Readonly<Record<string, string>>, Outcome])[] = [
  ...[400, 402, 404, 405, 406, 409, 410, 413, 415, 421, 425, 426, 431, 451].map((status) => plain(status, refused)),
  ...[500, 501, 502, 503, 504, 511, 520].map((status) => plain(status, broken)),
  plain(401, unauthorized),
  plain(403, { ...refused, hint: RIGHTS }),
  [403, SCOPE, { ...unauthorized, code: 'AUTH_SCOPE_INSUFFICIENT', hint: WIDEN }],
  [403, { 'www-authenticate': `Basic realm="a", ${SCOPE['www-authenticate']}` }, { ...unauthorized, code: 'AUTH_SCOPE_INSUFFICIENT', hint: WIDEN }],
  [403, { 'www-authenticate': 'Bearer realm="error=insufficient_scope"' }, { ...refused, hint: RIGHTS }],
  [401, SCOPE, unauthorized],
  plain(408, { ...refused, retryable: true, delivery: 'unknown' }),
  plain(429, busy),
  [429, WAIT, busy],
  [429, { 'retry-after': 'soon' }, busy],
  [503, WAIT, busy],
  [503, { 'retry-after': 'soon' }, broken],
];

/** Where one wire differs, and why. */
const noEndpoint = (hint: string): Outcome => ({
  ...refused,
  code: 'ENDPOINT_INCOMPATIBLE',
  hint,
});
const exceptions: readonly {
  readonly wire: Wire;
  readonly statuses: readonly number[];
  readonly means: Outcome;
  readonly why: string;
}[] = [
  {
    wire: 'sse GET',
    statuses: [400, 404, 405, 406, 410, 415, 501],
    means: noEndpoint('Check the URL. If the server speaks Streamable HTTP, use the type `http`.'),
    why: 'So a server answers that has no event stream there: what Streamable HTTP answers to this GET is among them.',
  },
  {
    wire: 'ws upgrade',
    statuses: [400, 404, 405, 426],
    means: noEndpoint('Check the path of the URL, and that the server speaks MCP over WebSocket.'),
    why: 'So a server answers that does not speak WebSocket there (RFC 6455, section 4.2.2).',
  },
];

const rpcError = (id: number | null, message = 'no') =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
const bodies: Readonly<Record<string, string>> = {
  'no body': '',
  'an HTML page': '<html><body>no</body></html>',
  'the JSON-RPC error of the request': rpcError(ID),
  'other JSON': '{"error":"no"}',
  'a huge body': 'x'.repeat(100_000),
};
const OWN = 'the JSON-RPC error of the request';

/** The refusal is the answer: a 4xx that is neither about credentials nor about load. Only a message can be answered. */
const answers = (wire: Wire, status: number, body: string): boolean =>
  wire.endsWith('POST') && body === OWN && status < 500 && ![401, 403, 429].includes(status);

const challenges: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no challenge': {},
  'Bearer with an error': { 'www-authenticate': 'Bearer error="invalid_token"' },
  'a DPoP nonce': { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-1' },
  malformed: { 'www-authenticate': 'Bearer "error=insufficient_scope' },
};

const wires = Object.keys(over) as readonly Wire[];

describe.each(wires)('a refusal over %s', (wire) => {
  it.each(rows)('%d with %j means the same as over the others', async (status, headers, means) => {
    const exception = exceptions.find((one) => one.wire === wire && one.statuses.includes(status));
    // A row with a challenge of its own is about that one.
    const asked = 'www-authenticate' in headers ? [['its own', {}] as const] : Object.entries(challenges);
    // Every challenge with the first body, and every body with the first challenge.
    const combinations = asked.flatMap(([challenge, fields], index) =>
      Object.entries(bodies)
        .slice(0, index === 0 ? undefined : 1)
        .map(([body, text]) => ({ challenge, fields, body, text })),
    );
    const outcomes = await Promise.all(
      combinations.map(async ({ challenge, fields, body, text }) => {
        const name = [wire, status, JSON.stringify(headers), challenge, body].join('|');
        cases.set(name, { status, headers: { ...fields, ...headers }, body: text });
        return [challenge, body, await outcomeOf(over[wire](name, 'tools/list'))];
      }),
    );
    const expected = combinations.map(({ challenge, body }) => [
      challenge,
      body,
      answers(wire, status, body) ? 'answered' : (exception?.means ?? means),
    ]);
    expect(outcomes).toEqual(expected);
  });
});

describe.each(['http POST', 'sse POST'] as const)('a call over %s', (wire) => {
  it.each([
    [429, {}],
    [429, WAIT],
    [503, WAIT],
  ])('that %d with %j refuses may have been carried out', async (status, headers) => {
    const name = ['a call', wire, status, JSON.stringify(headers)].join('|');
    cases.set(name, { status, headers, body: rpcError(ID) });
    expect(await outcomeOf(over[wire](name, 'tools/call', {}))).toMatchObject({
      code: 'RATE_LIMITED',
      delivery: 'unknown',
      hint: expect.stringMatching(/only if running it twice is harmless/) as string,
    });
  });
});

describe.each(wires)('a busy server over %s', (wire) => {
  it.each([
    [429, { 'retry-after': '0' }],
    [503, { 'retry-after': '0' }],
  ])('is waited for after %d', async (status, headers) => {
    const name = ['busy', wire, status].join('|');
    cases.set(name, { status, headers, body: '' });
    times.set(name, 2);
    const outcome = await outcomeOf(over[wire](name, 'tools/list', {}));
    // The server does not speak WebSocket: it says so when it is no longer busy.
    expect(outcome).toEqual(wire === 'ws upgrade' ? refused : 'answered');
    expect(times.get(name)).toBe(-1);
  });

  it('is not waited for longer than `retryLater` allows', async () => {
    const name = ['too long', wire].join('|');
    cases.set(name, { status: 429, headers: { 'retry-after': '999999' }, body: '' });
    times.set(name, 5);
    const error: unknown = await over[wire](name, 'tools/list', {}).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: 86_400_000 } });
    expect(times.get(name)).toBe(4);
  });
});

it.each(wires)('a refusal over %s shows no secret that it repeats, in the same words', async (wire) => {
  const name = ['secret', wire].join('|');
  cases.set(name, { status: 500, headers: {}, body: `<b>broken for Bearer ${apiKey}</b>` });
  const error = await failureOf(over[wire](name, 'tools/list'));
  const what = wire.endsWith('POST') ? 'POST' : wire.endsWith('GET') ? 'GET' : 'the upgrade request';
  expect(error.message).toBe(
    `The server answered ${what} with 500 Internal Server Error: <b>broken for [redacted]</b>`,
  );
  expect(error.details).toMatchObject({ status: 500, url: `http://${server.host}` });
  expect(error).toMatchObject({ status: 500, data: { status: 500 } });
});
