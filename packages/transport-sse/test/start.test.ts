import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { createSseTransport } from '../src/index.js';
import { listen, request } from './support/session.js';
import { echoing, startSseServer } from './support/sse-server.js';

describe('the endpoint', () => {
  it.each([
    ['a path', () => '/messages?session=1', '/messages?session=1'],
    ['a relative path', () => 'messages?session=1', '/api/messages?session=1'],
    ['a query', () => '?session=1', '/api/sse?session=1'],
    ['the same origin in full', (origin: string) => `${origin}/m?a=b`, '/m?a=b'],
    ['blanks around it', () => '  /m  ', '/m'],
    ['a fragment', () => '/m#part', '/m'],
  ])('may be %s', async (_, name, expected) => {
    await using server = await startSseServer({
      onStream: (stream, { origin }) => stream.event('endpoint', name(origin)),
      onPost: echoing.onPost,
    });
    await using transport = createSseTransport({ url: `${server.origin}/api/sse` });
    listen(transport);
    await transport.start();
    await transport.send(request(1));
    expect(server.seen.at(-1)).toMatchObject({ method: 'POST', url: expected });
  });

  it.each([
    ['another port', () => 'http://127.0.0.1:1/canary'],
    ['another host', () => 'http://evil.example/canary'],
    [
      'another name of this machine',
      (origin: string) => `${origin.replace('127.0.0.1', 'localhost')}/canary`,
    ],
    ['another scheme', (origin: string) => `${origin.replace('http', 'https')}/canary`],
    ['a scheme-relative URL', () => '//evil.example/canary'],
    ['a backslash URL', () => '\\\\evil.example\\canary'],
    ['a script', () => 'javascript:alert("canary")'],
    ['data', () => 'data:text/plain,canary'],
    ['a file', () => 'file:///canary'],
    ['userinfo', (origin: string) => `${origin.replace('http://', 'http://user:canary@')}/m`],
    ['userinfo that looks like the host', () => 'http://127.0.0.1@evil.example/canary'],
    ['no URL', () => 'http://'],
    ['nothing', () => ''],
    ['blanks', () => '   '],
    ['more than 8 KB', () => `/${'canary'.repeat(2000)}`],
  ])('is refused when it is %s', async (_, name) => {
    await using server = await startSseServer({
      onStream: (stream, { origin }) => stream.event('endpoint', name(origin)),
    });
    await using transport = createSseTransport({
      url: server.url,
      server: 'one',
      headers: { 'x-key': '123456' },
    });
    const failure = await failureOf(transport.start());
    expect(failure).toMatchObject({ code: 'PROTOCOL_VIOLATION', server: 'one' });
    expect(String(failure)).not.toContain('canary');
    await server.streams[0]?.closed;
    expect(server.seen.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('is the first one: later ones are ignored', async () => {
    await using server = await startSseServer({
      onStream(stream) {
        stream.event('endpoint', '/first');
        stream.event('endpoint', '/second');
        stream.message({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
        stream.event('endpoint', '/third');
        stream.event('endpoint', 'http://evil.example/');
      },
      onPost: echoing.onPost,
    });
    await using transport = createSseTransport({ url: server.url });
    const session = listen(transport);
    await transport.start();
    await session.received(1);
    await transport.send(request(1));
    expect(server.seen.at(-1)?.url).toBe('/first');
    expect(session.errors).toEqual([]);
  });

  it('has to come before any message', async () => {
    await using server = await startSseServer({
      onStream(stream) {
        stream.message({ jsonrpc: '2.0', method: 'notifications/message' });
        stream.event('endpoint', '/late');
      },
    });
    await using transport = createSseTransport({ url: server.url });
    const session = listen(transport);
    expect(await failureOf(transport.start())).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    expect(session.messages).toEqual([]);
    await server.streams[0]?.closed;
  });

  it('may come in any number of pieces, after comments', async () => {
    await using server = await startSseServer({
      onStream: (stream) => {
        stream.write(': hello\n\nretry: 5\n\neve');
        setImmediate(() => stream.write('nt: endpoint\r\ndata: /m\r\n\r'));
        setImmediate(() => stream.write('\n'));
      },
    });
    await using transport = createSseTransport({ url: server.url });
    await transport.start();
    expect(transport.describe?.()).toMatchObject({ url: server.origin, endpoint: true });
  });

  it('is taken relative to where the stream really is, after a redirect inside the origin', async () => {
    await using server = await startSseServer({
      onGet(seen, response) {
        if (seen.url !== '/sse') return false;
        response.writeHead(307, { location: '/v1/sse/' }).end();
        return true;
      },
      onStream: (stream) => stream.event('endpoint', 'messages'),
      onPost: echoing.onPost,
    });
    await using transport = createSseTransport({ url: server.url });
    await transport.start();
    await transport.send(request(1));
    expect(server.seen.at(-1)?.url).toBe('/v1/sse/messages');
  });
});

describe('start', () => {
  it('rejects in bounded time when no endpoint is named, whatever else comes', async () => {
    const clock = createManualClock();
    await using server = await startSseServer({ onStream: (stream) => stream.write(': keep-alive\n\n') });
    await using transport = createSseTransport({
      url: server.url,
      clock,
      startTimeoutMs: 5000,
      server: 'one',
    });
    const session = listen(transport);
    const failed = failureOf(transport.start());
    const stream = await server.stream(0);
    await clock.advance(4000);
    stream.write(': keep-alive\n\n');
    stream.event('other', 'x');
    await clock.advance(1000);
    expect(await failed).toMatchObject({ code: 'TIMEOUT', server: 'one', retryable: true });
    await stream.closed;
    await transport.close();
    expect(session.closes).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('also when the server does not answer at all', async () => {
    const clock = createManualClock();
    let asked: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    await using server = await startSseServer({ onGet: () => (asked(), true) });
    await using transport = createSseTransport({ url: server.url, clock });
    const failed = failureOf(transport.start());
    await arrived;
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ code: 'TIMEOUT' });
  });

  it('rejects at once when it is closed or aborted meanwhile', async () => {
    await using server = await startSseServer({ onStream: () => undefined });
    const closed = createSseTransport({ url: server.url });
    const first = failureOf(closed.start());
    const stream = await server.stream(0);
    await closed.close();
    expect(await first).toMatchObject({ code: 'TRANSPORT_CLOSED' });
    await stream.closed;

    const control = new AbortController();
    const aborted = createSseTransport({ url: server.url, signal: control.signal });
    const second = failureOf(aborted.start());
    await server.stream(1);
    control.abort();
    expect(await second).toMatchObject({ code: 'ABORTED' });

    const early = createSseTransport({ url: server.url, signal: AbortSignal.abort() });
    expect(await failureOf(early.start())).toMatchObject({ code: 'ABORTED' });
    expect(server.streams).toHaveLength(2);
  });

  it.each([
    [400, 'ENDPOINT_INCOMPATIBLE'],
    [406, 'ENDPOINT_INCOMPATIBLE'],
    [403, 'HTTP_STATUS'],
    [429, 'RATE_LIMITED'],
    [500, 'SERVER_ERROR'],
  ])('HTTP %i is %s, with a piece of the page', async (status, code) => {
    await using server = await startSseServer({
      onGet(_, response) {
        response.writeHead(status).end(`<h1>\u001b]0;x\u0007Sorry</h1>${'x'.repeat(200_000)}`);
        return true;
      },
    });
    await using transport = createSseTransport({ url: server.url, server: 'one' });
    const failure = await failureOf(transport.start());
    expect(failure).toMatchObject({ code, server: 'one', details: { status, url: server.origin } });
    expect(String(failure)).toMatch(/: <h1>Sorry<\/h1>x+…$/);
    expect(String(failure).length).toBeLessThan(400);
  });

  it.each(['text/html', 'application/json', ''])('a page of type %j is not a stream', async (type) => {
    await using server = await startSseServer({
      onGet(_, response) {
        response
          .writeHead(200, type === '' ? {} : { 'content-type': type })
          .end('event: endpoint\ndata: /m\n\n');
        return true;
      },
    });
    await using transport = createSseTransport({ url: server.url });
    expect(await failureOf(transport.start())).toMatchObject({
      code: 'ENDPOINT_INCOMPATIBLE',
      hint: expect.stringContaining('`http`') as unknown,
    });
  });

  it('a redirect to another origin is refused, and nothing is sent there', async () => {
    await using other = await startSseServer();
    await using server = await startSseServer({
      onGet: (_, response) => (response.writeHead(302, { location: other.url }).end(), true),
    });
    await using transport = createSseTransport({ url: server.url, headers: { 'x-key': '123456' } });
    expect(await failureOf(transport.start())).toMatchObject({
      code: 'REDIRECT_REFUSED',
      details: { target: other.origin },
    });
    expect(other.seen).toEqual([]);
  });

  it('a server that accepts and then closes is a failure, and is not asked again', async () => {
    await using server = await startSseServer({ onStream: (stream) => stream.end() });
    await using transport = createSseTransport({ url: server.url });
    expect(await failureOf(transport.start())).toMatchObject({
      code: 'CONNECTION_LOST',
      kind: 'network-temporary',
      retryable: true,
    });
    expect(server.streams).toHaveLength(1);
  });

  it('an invalid setting is refused before anything is sent', () => {
    const invalid = (options: object, code: string) =>
      expect(() => createSseTransport({ url: 'https://example.com/sse', server: 'one', ...options })).toThrow(
        expect.objectContaining({ code, kind: 'config', server: 'one' }),
      );
    invalid({ url: 'https://u:p@example.com/' }, 'CONFIG_INVALID');
    invalid({ headers: { 'Content-Type': 'x' } }, 'HEADER_INVALID');
    invalid({ headers: { 'Last-Event-ID': 'x' } }, 'HEADER_INVALID');
    invalid({ headers: { authorization: 'x' }, apiKey: 'y' }, 'CONFIG_INVALID');
    invalid({ network: { proxy: 'socks5://x' } }, 'CONFIG_INVALID');
  });
});
