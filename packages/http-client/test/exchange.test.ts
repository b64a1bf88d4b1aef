import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../src/index.js';
import { closeOf, startHttp, startTcp, type TestServer } from './support/http-server.js';
import { record } from './support/recorder.js';
import { request } from './support/request.js';

const networkFor = (server: TestServer, options: Partial<HttpClientOptions> = {}): HttpClient =>
  createHttpClient({ url: server.origin, server: 'one', ...options });

/** A server whose port is free at the other address, where a server of another test could listen. */
async function startOnlyAt(host: string): Promise<TestServer> {
  const other = host === '::1' ? '127.0.0.1' : '::1';
  for (;;) {
    const server = await startHttp((_, response) => response.end('ok'), { host });
    if (await refuses(other, server.port)) return server;
    await server[Symbol.asyncDispose]();
  }
}

const refuses = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

const at = (server: TestServer, path = '/'): URL => new URL(path, server.origin);

describe('an exchange', () => {
  it('hands on the head and each chunk as it arrives', async () => {
    let answer: ServerResponse | undefined;
    await using server = await startHttp((_, response) => {
      answer = response;
      response.writeHead(200, { 'content-type': 'Text/Event-Stream; charset=utf-8', 'x-two': ['a', 'b'] });
      response.write('one');
    });
    await using network = networkFor(server);
    const seen = record(network, { url: at(server, '/path?q=1'), method: 'POST', body: 'héllo' });
    await expect.poll(() => server.seen).toHaveLength(1);
    await seen.until(({ bytes }) => bytes === 3);
    expect(seen.calls).toEqual(['headers 200', 'data 3']);
    answer?.end('two!');
    await seen.settled;
    expect(seen.calls).toEqual(['headers 200', 'data 3', 'data 4', 'end']);
    expect(seen.head?.contentType).toBe('text/event-stream');
    expect(seen.head?.header('x-two')).toBe('a, b');
    expect(seen.head?.header('x-none')).toBeUndefined();
    expect(seen.head?.header('constructor')).toBeUndefined();
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/path?q=1', body: 'héllo' });
    expect(server.seen[0]?.headers['content-length']).toBe('6');
  });

  it.each(['127.0.0.1', '::1'])('connects to a host with one reachable address: %s', async (host) => {
    await using server = await startOnlyAt(host);
    const url = new URL(`http://mcp.test:${server.port}/`);
    for (const addresses of [
      ['127.0.0.1', '::1'],
      ['::1', '127.0.0.1'],
    ]) {
      const resolve = () => Promise.resolve(addresses);
      await using network = createHttpClient({ url, proxy: 'none', resolve });
      expect((await request(network, { url, method: 'GET' })).text()).toBe('ok');
    }
  });

  it('is silent after abort, and its socket is closed', async () => {
    await using server = await startHttp((_, response) => response.write('one'));
    await using network = networkFor(server);
    const seen = record(network, { url: at(server), method: 'GET' });
    await seen.until(({ bytes }) => bytes === 3);
    const [socket] = server.sockets;
    const closed = closeOf(socket);
    seen.abort();
    seen.abort();
    await closed;
    expect(seen.calls).toEqual(['headers 200', 'data 3']);
  });

  it('is silent when it is aborted before it could begin', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    await using network = networkFor(server);
    // The first loads undici, so it waits; the second finds it loaded and gets a socket at once.
    const early = record(network, { url: at(server), method: 'GET' });
    early.abort();
    await request(network, { url: at(server), method: 'GET' });
    const late = record(network, { url: at(server), method: 'GET' });
    late.abort();
    await request(network, { url: at(server), method: 'GET' });
    expect([early.calls, late.calls]).toEqual([[], []]);
  });

  it('pauses and resumes the peer', async () => {
    const piece = Buffer.alloc(65_536);
    const total = 400 * piece.length;
    let written = 0;
    let stuck: (() => void) | undefined;
    const stopped = new Promise<void>((resolve) => (stuck = resolve));
    await using server = await startHttp((_, response) => {
      const more = (): void => {
        while (written < total) {
          written += piece.length;
          if (!response.write(piece)) {
            response.once('drain', more);
            // No drain within a while: the peer is held up.
            const before = written;
            setTimeout(() => written === before && stuck?.(), 300);
            return;
          }
        }
        response.end();
      };
      more();
    });
    await using network = networkFor(server);
    const seen = record(network, { url: at(server), method: 'GET' });
    await seen.until(({ calls }) => calls.length > 0);
    seen.pause();
    await stopped;
    expect(written).toBeLessThan(total);
    expect(seen.bytes).toBeLessThan(1024 * 1024);
    seen.resume();
    await seen.settled;
    expect(seen.bytes).toBe(total);
  });

  it('can be paused before its answer begins', async () => {
    await using server = await startHttp((_, response) => response.end('body'));
    await using network = networkFor(server);
    const seen = record(network, { url: at(server), method: 'GET' });
    seen.pause();
    await seen.until(({ calls }) => calls.includes('headers 200'));
    await request(network, { url: at(server), method: 'GET' });
    expect(seen.calls).toEqual(['headers 200']);
    seen.resume();
    await seen.settled;
    expect(seen.text).toBe('body');
  });

  it('does not mistake an interim response for the final one', async () => {
    await using server = await startHttp((_, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.end('real');
    });
    await using network = networkFor(server);
    const seen = record(network, { url: at(server), method: 'GET' });
    await seen.settled;
    expect(seen.calls).toEqual(['headers 200', 'data 4', 'end']);
  });

  it('shows no cookie and sends none back', async () => {
    await using server = await startHttp((_, response) => {
      response.writeHead(200, { 'set-cookie': ['sid=canary; Path=/'], 'set-cookie2': 'x=canary' }).end();
    });
    await using network = networkFor(server);
    const first = await request(network, { url: at(server), method: 'GET' });
    await request(network, { url: at(server), method: 'GET' });
    expect(first.header('set-cookie')).toBeUndefined();
    expect(JSON.stringify([...first.headers()])).not.toContain('canary');
    expect((await network.fetch(at(server))).headers.getSetCookie()).toEqual([]);
    for (const { headers } of server.seen) expect(headers.cookie).toBeUndefined();
  });

  it('goes to the configured origin only', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    await using other = await startHttp((_, response) => response.end('ok'));
    await using network = networkFor(server, { headers: { 'x-key': 'canary' } });
    const refused = request(network, { url: at(other, '/?token=canary'), method: 'GET' });
    await expect(refused).rejects.toMatchObject({ code: 'POLICY_DENIED', delivery: 'not-sent' });
    await expect(refused).rejects.not.toThrow('canary');
    expect(other.connections).toBe(0);
  });
});

describe('a client that is closed', () => {
  it('ends what is open, refuses what comes later, and leaves no socket', async () => {
    await using server = await startHttp((_, response) => response.write('one'));
    const network = networkFor(server);
    const open = record(network, { url: at(server), method: 'GET' });
    await open.until(({ bytes }) => bytes > 0);
    const [socket] = server.sockets;
    const closed = closeOf(socket);
    await Promise.all([network.close(), network.close()]);
    await closed;
    await open.settled;
    expect(open.error).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'unknown', server: 'one' });
    await expect(request(network, { url: at(server), method: 'GET' })).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
      delivery: 'not-sent',
    });
  });

  it('also when it is closed while it opens, or was never used', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    const network = networkFor(server);
    const early = record(network, { url: at(server), method: 'GET' });
    await network.close();
    await early.settled;
    expect(early.error?.code).toBe('TRANSPORT_CLOSED');
    expect(server.seen).toHaveLength(0);
    await createHttpClient({ url: server.origin }).close();
  });
});

describe('a failure', () => {
  it('names the origin and nothing more, and says how far the request got', async () => {
    await using server = await startTcp((socket) => socket.once('data', () => socket.destroy()));
    await using network = networkFor(server);
    const lost = request(network, { url: at(server, '/hidden-path?key=hunter2'), method: 'POST', body: 'x' });
    await expect(lost).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      kind: 'network-temporary',
      delivery: 'unknown',
      server: 'one',
      details: { url: server.origin },
      cause: expect.anything() as unknown,
    });
    await expect(lost).rejects.not.toThrow(/hidden|hunter2/);
  });

  it('CONNECTION_REFUSED: nothing listens', async () => {
    const server = await startHttp(() => undefined);
    await server[Symbol.asyncDispose]();
    await using network = networkFor(server);
    await expect(request(network, { url: at(server), method: 'POST', body: '{}' })).rejects.toMatchObject({
      code: 'CONNECTION_REFUSED',
      delivery: 'not-sent',
      message: expect.stringContaining(`Connection refused by ${server.origin}: nothing is listening there.`),
      hint: expect.stringContaining('port') as unknown,
    });
  });

  it.each([
    ['the resolver says so', () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))],
    ['the resolver knows no address', () => Promise.resolve([])],
  ])('HOST_NOT_FOUND: %s', async (_, resolve) => {
    const url = new URL('http://no.invalid/secret?key=1');
    await using network = createHttpClient({ url, proxy: 'none', resolve });
    await expect(request(network, { url, method: 'GET' })).rejects.toMatchObject({
      code: 'HOST_NOT_FOUND',
      delivery: 'not-sent',
      message: 'Could not resolve the host name of http://no.invalid.',
    });
  });

  it('TIMEOUT: no connection in time', async () => {
    // The resolver never answers: as silent as a host behind a wall that drops packets.
    await using network = createHttpClient({
      url: 'http://slow.test/',
      proxy: 'none',
      resolve: () => new Promise(() => undefined),
      timeouts: { connectMs: 50 },
    });
    await expect(
      request(network, { url: new URL('http://slow.test/'), method: 'GET' }),
    ).rejects.toMatchObject({
      code: 'TIMEOUT',
      delivery: 'not-sent',
    });
  });

  it('TIMEOUT: no head in time, no more body in time', async () => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/body') response.write('one');
    });
    await using network = networkFor(server, { timeouts: { headersMs: 100, bodyIdleMs: 100 } });
    await expect(request(network, { url: at(server, '/head'), method: 'GET' })).rejects.toMatchObject({
      code: 'TIMEOUT',
      delivery: 'unknown',
    });
    const body = record(network, { url: at(server, '/body'), method: 'GET' });
    await body.settled;
    expect(body.calls).toEqual(['headers 200', 'data 3', 'error TIMEOUT']);
  });

  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['lies about its length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\ncontent-length: 2\r\n\r\nab'],
  ])('PROTOCOL_VIOLATION: the answer %s', async (_, answer) => {
    await using server = await startTcp((socket) => socket.once('data', () => socket.write(answer)));
    await using network = networkFor(server);
    await expect(request(network, { url: at(server), method: 'GET' })).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
      message: expect.stringContaining(`Received a malformed HTTP response from ${server.origin}.`),
    });
  });

  it('a client still works after any of them', async () => {
    let times = 0;
    await using server = await startHttp((_, response) => {
      if (++times === 1) response.destroy();
      else response.end('ok');
    });
    await using network = networkFor(server);
    await expect(request(network, { url: at(server), method: 'GET' })).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
    });
    expect((await request(network, { url: at(server), method: 'GET' })).text()).toBe('ok');
  });
});

describe('a collected request', () => {
  it('ends when its signal does, and leaves no listener on it', async () => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/fast') response.end('ok');
    });
    await using network = networkFor(server);
    const control = new AbortController();
    const { signal } = control;
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...all: Parameters<typeof add>) => (listeners++, add(...all));
    signal.removeEventListener = (...all: Parameters<typeof remove>) => (listeners--, remove(...all));
    for (let turn = 0; turn < 20; turn++)
      await request(network, { url: at(server, '/fast'), method: 'GET' }, signal);
    expect(listeners).toBe(0);
    const pending = request(network, { url: at(server, '/slow'), method: 'GET' }, signal);
    control.abort(new Error('enough'));
    await expect(pending).rejects.toMatchObject({ code: 'ABORTED', cause: signal.reason as unknown });
    await expect(request(network, { url: at(server, '/fast'), method: 'GET' }, signal)).rejects.toMatchObject(
      {
        code: 'ABORTED',
      },
    );
  });
});
