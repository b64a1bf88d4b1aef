import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { FittingsError, type Transport } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { scriptedServer } from '../../packages/transport-http/test/support/scripted-server.js';
import { startSseServer } from '../../packages/transport-sse/test/support/sse-server.js';
import { startDecidingServer } from '../../packages/transport-ws/test/support/refusing-server.js';

interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } } as const;
const apiKey = 'a-token-of-enough-length';

async function failureOf(work: Promise<unknown>): Promise<FittingsError> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof FittingsError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

/** How a refusal reaches the caller over each remote wire. */
const refusedOver = {
  async http({ status, headers, body }: Refusal): Promise<FittingsError> {
    await using server = await scriptedServer({
      on: { request: (exchange) => exchange.plain(status, body, headers) },
    });
    const options = { url: server.url, apiKey, retryLater: { maxAttempts: 0 } };
    await using transport = createHttpTransport(options) as Transport & AsyncDisposable;
    await transport.start();
    return await failureOf(transport.send(call));
  },
  async sse({ status, headers, body }: Refusal): Promise<FittingsError> {
    await using server = await startSseServer({
      onPost: (_, response) => void response.writeHead(status, headers).end(body),
    });
    await using transport = createSseTransport({ url: server.url, apiKey }) as Transport & AsyncDisposable;
    await transport.start();
    return await failureOf(transport.send(call));
  },
  async ws({ status, headers, body }: Refusal): Promise<FittingsError> {
    await using server = await startDecidingServer(() => ({ status, headers, body }));
    return await failureOf(createWebSocketTransport({ url: server.url, apiKey }).start());
  },
};

const DAY_MS = 86_400_000;
const scope = { 'www-authenticate': 'Bearer realm="x", error="insufficient_scope", scope="more"' };
const bodies = {
  'no body': '',
  'an HTML page': '<html><body>no</body></html>',
  'a JSON-RPC error': JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'no' } }),
};
// prettier-ignore
const rows: readonly [number, Record<string, string>, string, boolean, number | undefined][] = [
  [401, {}, 'AUTH_REJECTED', false, undefined],
  [401, scope, 'AUTH_REJECTED', false, undefined],
  [403, {}, 'HTTP_STATUS', false, undefined],
  [403, scope, 'AUTH_SCOPE_INSUFFICIENT', false, undefined],
  [403, { 'www-authenticate': 'Basic realm="a", Bearer error="insufficient_scope"' }, 'AUTH_SCOPE_INSUFFICIENT', false, undefined],
  [403, { 'www-authenticate': 'Bearer realm="error=insufficient_scope"' }, 'HTTP_STATUS', false, undefined],
  [408, {}, 'HTTP_STATUS', true, undefined],
  [409, {}, 'HTTP_STATUS', false, undefined],
  [413, {}, 'HTTP_STATUS', false, undefined],
  [429, {}, 'RATE_LIMITED', true, undefined],
  [429, { 'retry-after': '3600' }, 'RATE_LIMITED', true, 3_600_000],
  [429, { 'retry-after': '999999' }, 'RATE_LIMITED', true, DAY_MS],
  [429, { 'retry-after': 'soon' }, 'RATE_LIMITED', true, undefined],
  [500, {}, 'SERVER_ERROR', true, undefined],
  [502, {}, 'SERVER_ERROR', true, undefined],
  [503, {}, 'SERVER_ERROR', true, undefined],
  [503, { 'retry-after': '120' }, 'RATE_LIMITED', true, 120_000],
];

describe.each(Object.entries(refusedOver))('a refusal over %s', (_, refused) => {
  it.each(rows)('%d with %j is %s, retryable: %s', async (status, headers, code, retryable, retryAfterMs) => {
    for (const body of Object.values(bodies)) {
      const error = await refused({ status, headers, body });
      expect([error.code, error.retryable, error.details['retryAfterMs']]).toEqual([
        code,
        retryable,
        retryAfterMs,
      ]);
      expect(error.details['status']).toBe(status);
    }
  });
});

it.each(rows)('over http and sse %d with %j says the same of the delivery', async (status, headers) => {
  const [http, sse] = await Promise.all(
    (['http', 'sse'] as const).map((wire) => refusedOver[wire]({ status, headers, body: '' })),
  );
  expect(sse?.delivery).toBe(http?.delivery);
});

/** Nothing listens there: whether a connection is attempted would show as another error. */
const unstarted: Record<string, (signal: AbortSignal) => Transport> = {
  http: (signal) => createHttpTransport({ url: 'http://127.0.0.1:9/mcp', signal }),
  sse: (signal) => createSseTransport({ url: 'http://127.0.0.1:9/sse', signal }),
  ws: (signal) => createWebSocketTransport({ url: 'ws://127.0.0.1:9/mcp', signal }),
  stdio: (signal) => createStdioTransport({ command: process.execPath, signal }),
};

it.each(Object.entries(unstarted))(
  'over %s a signal that is aborted before start() makes it reject with ABORTED',
  async (_, create) => {
    const reason = new Error('changed my mind');
    const before = create(AbortSignal.abort(reason));
    const controller = new AbortController();
    const between = create(controller.signal);
    controller.abort(reason);
    for (const transport of [before, between]) {
      const error = await failureOf(transport.start());
      expect([error.code, error.cause]).toEqual(['ABORTED', reason]);
      expect(transport.closeReason).toBe(error);
      await transport.close();
    }
  },
);
