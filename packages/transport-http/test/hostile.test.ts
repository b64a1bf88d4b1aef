import { inspect } from 'node:util';
import type { FittingsError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { createHttpTransport as createByFetch } from '../src/fetch.js';
import { createHttpTransport, http } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { scriptedServer, type Exchange } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';
import { when } from './support/turns.js';

const MB = 1024 * 1024;

describe('an endless response', () => {
  const maxMessageBytes = 2 * MB;

  it.each([
    ['JSON', 'application/json'],
    ['one event', 'text/event-stream'],
    ['something else', 'text/plain'],
  ])('is cut off as %s, and its socket is closed', async (_, type) => {
    let sent = 0;
    await using server = await scriptedServer({
      on: {
        async 'tools/call'({ response, ended }) {
          response.writeHead(200, { 'content-type': type });
          response.write(type === 'text/event-stream' ? 'data: "' : '{"x":"');
          const over = ended.then(() => true);
          const chunk = 'x'.repeat(MB);
          for (;;) {
            sent += MB;
            if (!response.write(chunk)) {
              const drained = new Promise<false>((resolve) => response.once('drain', () => resolve(false)));
              if (await Promise.race([drained, over])) return;
            }
            if (response.destroyed) return;
          }
        },
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, maxMessageBytes }));
    const before = process.memoryUsage().rss;
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      kind: 'protocol',
      delivery: 'unknown',
    });
    await (
      await server.until('tools/call')
    ).ended;
    expect(sent).toBeLessThan(64 * MB);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB);
    expect(await caller.request('tools/list')).toEqual({});
  });
});

describe.each([
  ['undici', createHttpTransport],
  ['fetch', createByFetch],
])('a redirect, by %s', (_way, createTransport) => {
  it.each([302, 303, 307])('%i to another origin is not followed, and the error names it', async (status) => {
    await using elsewhere = await scriptedServer();
    await using server = await scriptedServer({
      session: 'secret-session-0123456789',
      on: { 'tools/call': (exchange) => exchange.plain(status, '', { location: `${elsewhere.url}?x` }) },
    });
    const options = { url: server.url, headers: { 'x-key': 'secret-0123456789' } };
    await using caller = await connect(createTransport(options));
    const error: unknown = await caller.request('tools/call').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'REDIRECT_REFUSED' });
    expect((error as Error).message).toContain(elsewhere.origin);
    expect(elsewhere.received).toHaveLength(0);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('0123456789');
  });

  it.each([302, 308])('%i within the origin is followed with method and body', async (status) => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) => {
          if (exchange.path === '/mcp/') exchange.result({ arrived: exchange.verb });
          else exchange.plain(status, '', { location: '/mcp/' });
        },
      },
    });
    await using caller = await startCaller(createTransport({ url: server.url }));
    expect(await caller.request('tools/call')).toEqual({ arrived: 'POST' });
  });

  it('303 never turns a message into a GET', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) => exchange.plain(303, '', { location: '/mcp/' }),
        GET: (x) => void x.sse(),
      },
    });
    await using caller = await startCaller(createTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      code: 'REDIRECT_REFUSED',
      delivery: 'unknown',
    });
    expect(server.of('GET')).toHaveLength(0);
  });
});

describe('a response of the wrong type', () => {
  const evil = '<h1>Sign in\u001b[31m\u202e</h1>';
  it.each([
    ['a web page', 200, { 'content-type': 'text/html' }, evil],
    ['no content type', 200, {}, evil],
    [
      'JSON called an event stream',
      200,
      { 'content-type': 'text/event-stream' },
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
    ['a web page called an event stream', 200, { 'content-type': 'text/event-stream' }, evil],
    ['a web page called JSON', 200, { 'content-type': 'application/json' }, evil],
    ['an event stream called JSON', 200, { 'content-type': 'application/json' }, 'data: {}\n\n'],
    ['nothing called JSON', 200, { 'content-type': 'application/json' }, ''],
    ['bytes that are not UTF-8', 200, { 'content-type': 'application/json' }, '\xff'],
    ['202 to a request', 202, {}, ''],
    ['204 to a request', 204, {}, ''],
  ])('%s is a typed error with a clean excerpt', async (_, status, headers, body) => {
    await using server = await scriptedServer({
      on: {
        'tools/call': ({ response }) =>
          void response.writeHead(status, headers as Record<string, string>).end(Buffer.from(body, 'latin1')),
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const error: unknown = await caller
      .request('tools/call', {}, { id: 1 })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'protocol', delivery: 'unknown' });
    const text = inspect(error, { depth: 9, showHidden: true });
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect((error as Error).message).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(text).not.toContain('\u202e');
    expect((error as Error).message.length).toBeLessThan(300);
    expect(await caller.request('tools/list')).toEqual({});
  });
});

describe('an answer to another request', () => {
  const foreign = { jsonrpc: '2.0', id: 9, result: { stolen: true } };
  const shapes: [string, (exchange: Exchange) => void][] = [
    ['as JSON', (exchange) => exchange.json(foreign)],
    ['as an event', (exchange) => exchange.sse().event({ data: foreign }).end()],
    ['as an array', (exchange) => exchange.json([foreign])],
    [
      'as an array in an event',
      (exchange) =>
        exchange
          .sse()
          .event({ data: [foreign] })
          .end(),
    ],
    ['malformed', (exchange) => exchange.json({ jsonrpc: '2.0', id: 9, result: 1, error: 2 })],
  ];
  it.each(shapes)('%s resolves no request, and fails the one that it was sent for', async (_, script) => {
    await using server = await scriptedServer({
      on: { victim: (exchange) => void exchange.sse(), 'tools/call': script },
    });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await connect(transport);
    const settled: unknown[] = [];
    const abort = new AbortController();
    caller.request('victim', {}, { id: 9, requestSignal: abort.signal }).then(
      (value) => settled.push(value),
      (error: unknown) => settled.push(error),
    );
    await server.until('victim');
    await expect(caller.request('tools/call', {}, { id: 10 })).rejects.toMatchObject({ delivery: 'unknown' });
    expect(caller.errors.map((error) => (error as FittingsError).code)).toEqual(
      expect.arrayContaining([expect.stringMatching(/RESPONSE_UNEXPECTED|MESSAGE_INVALID/)]) as string[],
    );
    expect(settled).toEqual([]);
    abort.abort();
    await when(() => settled.length === 1);
    expect(settled).toMatchObject([{ code: 'ABORTED' }]);
  });

  it('resolves no request on the server’s own stream', async () => {
    const streams = openStreams();
    await using server = await scriptedServer({
      on: { GET: streams.script, victim: (exchange) => void exchange.sse() },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await server.until('GET');
    const abort = new AbortController();
    const call = caller.request('victim', {}, { id: 9, requestSignal: abort.signal });
    await server.until('victim');
    streams.writers[0]
      ?.event({ data: foreign })
      .event({ data: { jsonrpc: '2.0', method: 'notifications/after' } });
    await caller.until(() => caller.notifications('notifications/after')[0]);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('is told apart by its digits: "01" is not 1', async () => {
    await using server = await scriptedServer({
      on: { 'tools/call': (exchange) => exchange.json({ jsonrpc: '2.0', id: '01', result: {} }) },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call', {}, { id: 1 })).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
    });
  });

  it('is an answer to this request when it is an error that has no id', async () => {
    await using server = await scriptedServer({
      on: { 'tools/call': (exchange) => exchange.rpcError(-32_700, 'Parse error', 200, null) },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({ rpc: { code: -32_700 } });
  });

  it('is refused as an array of several messages in any other revision', async () => {
    const several = ({ message: { id } }: Exchange) => [
      { jsonrpc: '2.0', id, result: {} },
      { jsonrpc: '2.0', method: 'notifications/x' },
    ];
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) => exchange.json(several(exchange)),
        'tools/list': (exchange) =>
          exchange
            .sse()
            .event({ data: several(exchange) })
            .end(),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    await expect(caller.request('tools/list')).rejects.toMatchObject({ code: 'STREAM_LOST' });
  });

  it('accepts an array in the revision 2025-03-26 only', async () => {
    await using server = await scriptedServer({
      protocolVersion: '2025-03-26',
      on: {
        'tools/call': (exchange) =>
          exchange.json([
            { jsonrpc: '2.0', method: 'notifications/x' },
            { jsonrpc: '2.0', id: exchange.message.id, result: { batched: true } },
          ]),
      },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    expect(await caller.request('tools/call')).toEqual({ batched: true });
    expect(caller.notifications('notifications/x')).toHaveLength(1);
  });
});

describe('configured headers', () => {
  it.each([
    ['a line break in a value', { headers: { 'x-a': 'b\r\nc: d' } }, 'HEADER_INVALID'],
    ['a line break in an API key', { apiKey: 'a\nb' }, 'HEADER_INVALID'],
    ['a header of HTTP', { headers: { Host: 'evil.example' } }, 'HEADER_INVALID'],
    ['a header of this transport', { headers: { 'Mcp-Session-Id': 'x' } }, 'HEADER_INVALID'],
    ['its content type', { headers: { 'Content-Type': 'text/plain' } }, 'HEADER_INVALID'],
    ['credentials besides an API key', { headers: { Authorization: 'x' }, apiKey: 'y' }, 'CONFIG_INVALID'],
  ])('with %s are a config error', (_, options, code) => {
    expect(() => createHttpTransport({ url: 'https://mcp.example/', ...options })).toThrowError(
      expect.objectContaining({ code, kind: 'config' }) as Error,
    );
  });
});

describe('the configured URL', () => {
  it.each(['https://user:hunter2@mcp.example/', 'https://mcp.example/#x', 'ftp://mcp.example/'])(
    'is refused as %s, without repeating it',
    (url) => {
      const make = (): unknown => http().create({ url }, { server: 'test' });
      expect(make).toThrowError(expect.objectContaining({ code: 'CONFIG_INVALID', server: 'test' }) as Error);
      expect(make).not.toThrowError(/hunter2/);
    },
  );

  it('shows no path and no query', async () => {
    await using server = await scriptedServer({ on: { initialize: (exchange) => exchange.plain(500) } });
    const transport = createHttpTransport({ url: `${server.origin}/key-0123456789/mcp?token=abcdef` });
    await using caller = await startCaller(transport);
    const error: unknown = await caller.request('initialize').catch((reason: unknown) => reason);
    expect(server.received[0]?.path).toBe('/key-0123456789/mcp?token=abcdef');
    const shown = inspect([error, transport.describe?.(), transport], { depth: 9, showHidden: true });
    expect(shown).not.toContain('key-0123456789');
    expect(shown).not.toContain('abcdef');
  });
});

describe('what belongs to one origin', () => {
  it('is sent to no other origin', async () => {
    await using elsewhere = await scriptedServer();
    await using server = await scriptedServer({
      session: 's',
      on: {
        GET: (exchange) => exchange.plain(307, '', { location: elsewhere.url }),
        DELETE: (exchange) => exchange.plain(307, '', { location: elsewhere.url }),
        'tools/list': (exchange) =>
          exchange.plain(401, '', { 'www-authenticate': `Bearer resource_metadata="${elsewhere.url}"` }),
      },
    });
    const transport = createHttpTransport({ url: server.url, apiKey: 'secret-0123456789' });
    await using caller = await connect(transport);
    await expect(caller.request('tools/list')).rejects.toMatchObject({ code: 'AUTH_REJECTED' });
    await server.until('GET');
    await transport.close();
    expect(elsewhere.received).toHaveLength(0);
    expect(elsewhere.sockets.size).toBe(0);
  });
});
