import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { FittingsError, type Logger } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { createHttpTransport as createByFetch } from '../src/fetch.js';
import { createHttpTransport, http } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { scriptedServer, type Exchange } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';
import { when } from './support/turns.js';

const MB = 1024 * 1024;
const result = (exchange: Exchange, padding: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: exchange.message.id, result: { padding } });

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

  it('is cut off before it is read when its content-length says it', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': ({ response }) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1024 * MB });
          response.write('{');
        },
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url, maxMessageBytes }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  });

  it('is an error when its content-length lies', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': ({ response }) => {
          response.socket?.end(
            'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"json',
          );
        },
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(caller.request('tools/call')).rejects.toBeInstanceOf(FittingsError);
  });

  it('is cut off by its decoded size when it is a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MB, ' '));
    await using server = await scriptedServer({
      on: {
        'tools/call': ({ response }) =>
          void response
            .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
            .end(bomb),
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url, maxMessageBytes }));
    await expect(caller.request('tools/call')).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
      delivery: 'unknown',
    });
  });

  it('bounds the body of a refusal too', async () => {
    let sent = 0;
    await using server = await scriptedServer({
      on: {
        async 'tools/call'({ response, ended }) {
          response.writeHead(418, { 'content-type': 'text/plain' });
          while (!response.destroyed && sent < 1000 * MB) {
            sent += 65_536;
            if (response.write('x'.repeat(65_536))) continue;
            await Promise.race([ended, new Promise((resolve) => response.once('drain', resolve))]);
          }
        },
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const error: unknown = await caller.request('tools/call').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'HTTP_STATUS' });
    expect((error as Error).message.length).toBeLessThan(400);
    expect(sent).toBeLessThan(64 * MB);
  });

  it('of just the permitted size is delivered', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) => {
          const text = result(exchange, 'x'.repeat(MB));
          exchange.plain(200, text, { 'content-type': 'application/json; charset=utf-8' });
        },
      },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url, maxMessageBytes }));
    expect((await caller.request('tools/call'))['padding']).toHaveLength(MB);
  });
});

describe.each([
  ['undici', createHttpTransport],
  ['fetch', createByFetch],
])('a redirect, by %s', (_way, createTransport) => {
  it.each([301, 302, 303, 307, 308])(
    '%i to another origin is not followed, and the error names it',
    async (status) => {
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
    },
  );

  it.each([301, 302, 307, 308])('%i within the origin is followed with method and body', async (status) => {
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
    ['a line break in a value', { 'x-a': 'b\r\nc: d' }],
    ['a line break in a name', { 'x\r\na': 'b' }],
    ['Host', { Host: 'evil.example' }],
    ['Content-Length', { 'content-length': '1' }],
    ['Connection', { Connection: 'close' }],
    ['a header of this transport', { 'Mcp-Session-Id': 'x' }],
    ['its content type', { 'Content-Type': 'text/plain' }],
  ])('with %s are a config error', (_, headers) => {
    const make = (): unknown => createHttpTransport({ url: 'https://mcp.example/', headers });
    expect(make).toThrowError(FittingsError);
    expect(make).toThrowError(expect.objectContaining({ code: 'HEADER_INVALID', kind: 'config' }) as Error);
  });

  it('with an API key that HTTP cannot carry are a configuration error', () => {
    expect(() => createHttpTransport({ url: 'https://mcp.example/', apiKey: 'a\nb' })).toThrowError(
      FittingsError,
    );
  });

  it.each(['authorization', 'Authorization'])('with %s besides an API key are a config error', (name) => {
    const options = { url: 'https://mcp.example/', headers: { [name]: 'x' }, apiKey: 'y' };
    expect(() => createHttpTransport(options)).toThrowError(
      expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error,
    );
  });
});

it('a cookie is neither kept nor sent back', async () => {
  await using server = await scriptedServer({
    session: 's',
    on: { 'tools/list': (exchange) => exchange.result({}, { 'set-cookie': 'sid=1; Path=/' }) },
  });
  await using caller = await connect(createHttpTransport({ url: server.url }));
  await caller.request('tools/list');
  await caller.request('tools/list');
  expect(server.received.every(({ headers }) => headers.cookie === undefined)).toBe(true);
});

describe('the configured URL', () => {
  const warnings: string[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message) => void warnings.push(message),
    error: () => undefined,
  };

  it.each(['https://user:hunter2@mcp.example/', 'https://mcp.example/#x', 'ftp://mcp.example/', 'nonsense'])(
    'is refused as %s, without repeating it',
    (url) => {
      const make = (): unknown => http().create({ url }, { server: 'test', logger });
      expect(make).toThrowError(expect.objectContaining({ code: 'CONFIG_INVALID', server: 'test' }) as Error);
      expect(make).not.toThrowError(/hunter2/);
    },
  );

  it.each(['http://mcp.example/', 'https://xn--pple-43d.example/'])('causes the warning %s', (url) => {
    warnings.length = 0;
    http().create({ url }, { server: 'test', logger });
    expect(warnings).toHaveLength(1);
  });

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
