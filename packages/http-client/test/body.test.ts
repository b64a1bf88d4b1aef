import {
  brotliCompressSync,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createLifetime } from '@mcp-fittings/toolbox/timing';
import { createFetchClient } from '../src/fetch.js';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../src/index.js';
import { closeOf, startHttp, startTcp, type TestServer } from './support/http-server.js';
import { record } from './support/recorder.js';
import { request } from './support/request.js';

const networkFor = (server: TestServer, options: Partial<HttpClientOptions> = {}): HttpClient =>
  createHttpClient({ url: server.origin, server: 'one', ...options });

const get = (server: TestServer, path = '/') =>
  ({ url: new URL(path, server.origin), method: 'GET' }) as const;

const MIB = 1024 * 1024;

describe('a discarded body', () => {
  it.each([
    ['undici', createHttpClient],
    ['fetch', createFetchClient],
  ])('that does not end holds its socket for a second: %s', async (_, create) => {
    await using server = await startHttp(({ url }, response) => {
      if (url === '/open') response.writeHead(202).flushHeaders();
      else response.writeHead(202).end('ok');
    });
    const clock = createManualClock();
    const client = create({ url: server.origin, clock, sockets: { max: 2 } });
    const send = (path: string) => client.send(get(server, path), createLifetime(), () => 'discard');
    await Promise.all([send('/open'), send('/open')]);
    const sockets = [...server.sockets];
    expect(sockets).toHaveLength(2);
    const next = send('/');
    await clock.advance(999);
    expect(sockets.map(({ closed }) => closed)).toEqual([false, false]);
    await clock.advance(1);
    await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual([true, true]);
    expect(await next).toMatchObject({ accepted: true });
    await client.close();
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a compressed body', () => {
  const text = 'äöü 😀 '.repeat(50_000);
  const bytes = Buffer.from(text);

  it.each<[string, Buffer]>([
    ['gzip', gzipSync(bytes)],
    ['x-gzip', gzipSync(bytes)],
    ['GZIP', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['deflate', deflateRawSync(bytes)],
    ['br', brotliCompressSync(bytes)],
    ['identity', bytes],
  ])('is decoded: %s', async (encoding, body) => {
    await using server = await startHttp((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    await using network = networkFor(server);
    expect((await request(network, get(server))).text()).toBe(text);
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it('is decoded when it is empty', async () => {
    await using server = await startHttp((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    );
    await using network = networkFor(server);
    expect((await request(network, get(server))).body).toHaveLength(0);
  });

  it.each([
    ['gzip', createGzip],
    ['deflate', createDeflate],
    ['br', createBrotliCompress],
  ])('comes out piece by piece, as an event stream needs it: %s', async (encoding, compress) => {
    const body = compress();
    await using server = await startHttp((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'text/event-stream' });
      body.pipe(response);
      body.write('data: 1\n\n');
      body.flush();
    });
    await using network = networkFor(server);
    const seen = record(network, get(server));
    await seen.until(({ text: now }) => now === 'data: 1\n\n');
    body.end('data: 2\n\n');
    await seen.settled;
    expect(seen.text).toBe('data: 1\n\ndata: 2\n\n');
  });

  it.each<[string, string, Buffer]>([
    ['is broken', 'gzip', Buffer.from('no gzip at all')],
    ['is cut short', 'gzip', gzipSync(Buffer.from('x'.repeat(1000))).subarray(0, 20)],
    ['has a coding that was not requested', 'compress', Buffer.from('x')],
    ['has two codings', 'gzip, br', gzipSync('x')],
  ])('fails when it %s', async (_, encoding, body) => {
    await using server = await startHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    await using network = networkFor(server);
    await expect(request(network, get(server))).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
    });
  });

  it('is held back by pause as well', async () => {
    const zeros = gzipSync(Buffer.alloc(64 * MIB));
    await using server = await startHttp((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zeros),
    );
    await using network = networkFor(server, { maxBodyBytes: 100 * MIB });
    const seen = record(network, get(server));
    await seen.until(({ bytes: now }) => now > 0);
    seen.pause();
    // What other exchanges do meanwhile gives this one time to misbehave.
    await request(network, get(server));
    expect(seen.bytes).toBeLessThan(MIB);
    seen.resume();
    await seen.settled;
    expect(seen.bytes).toBe(64 * MIB);
  });
});

describe('a body that is too large', () => {
  it('is refused at its head when it says so itself', async () => {
    await using server = await startHttp((_, response) => {
      response.writeHead(200, { 'content-length': String(1024 * MIB) });
      response.write('x');
    });
    await using network = networkFor(server);
    const seen = record(network, get(server));
    const [socket] = await firstSocket(server, seen.settled);
    expect(seen.calls).toEqual(['error MESSAGE_TOO_LARGE']);
    expect(seen.error).toMatchObject({
      delivery: 'unknown',
      details: { limit: 64 * MIB, url: server.origin },
    });
    await closeOf(socket);
  });

  it('is refused when it only turns out so, and the socket is closed', async () => {
    let sent = 0;
    await using server = await startHttp((_, response) => {
      const piece = Buffer.alloc(65_536, 0x20);
      const more = (): void => {
        while (!response.destroyed && sent < 1024 * MIB) {
          sent += piece.length;
          if (!response.write(piece)) {
            response.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    await using network = networkFor(server, { maxBodyBytes: MIB });
    const seen = record(network, get(server));
    const [socket] = await firstSocket(server, seen.settled);
    expect(seen.error?.code).toBe('MESSAGE_TOO_LARGE');
    expect(seen.bytes).toBeLessThanOrEqual(MIB);
    await closeOf(socket);
    expect(sent).toBeLessThan(64 * MIB);
  });

  it('is refused by what it decodes to: a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    expect(bomb.length).toBeLessThan(MIB);
    await using server = await startHttp((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    await using network = networkFor(server, { maxBodyBytes: 2 * MIB });
    const seen = record(network, get(server));
    await seen.settled;
    expect(seen.error?.code).toBe('MESSAGE_TOO_LARGE');
    expect(seen.bytes).toBeLessThanOrEqual(2 * MIB);
  });

  it('fails when it is shorter than announced', async () => {
    await using server = await startTcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort')),
    );
    await using network = networkFor(server);
    await expect(request(network, get(server))).rejects.toMatchObject({ delivery: 'unknown' });
  });

  it('data after a body of the announced length is not the answer to the next request', async () => {
    await using server = await startTcp((socket) =>
      socket.on('data', () =>
        socket.write(
          'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil',
        ),
      ),
    );
    await using network = networkFor(server);
    expect((await request(network, get(server))).text()).toBe('ok');
    expect((await request(network, get(server))).text()).toBe('ok');
    expect(server.connections).toBe(2);
  });

  it('can be cut instead, for an excerpt of an error page', async () => {
    await using server = await startHttp((_, response) => {
      response.writeHead(500, { 'content-length': String(1024 * MIB) });
      response.write('x'.repeat(5000));
    });
    await using network = networkFor(server);
    const reply = await request(network, { ...get(server), maxBodyBytes: 1000, overflow: 'truncate' });
    expect(reply.status).toBe(500);
    expect(reply.text()).toBe('x'.repeat(1000));
  });

  it('does not end an event stream that was asked for, whose events are capped one by one', async () => {
    await using server = await startHttp((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: x\n\n'.repeat(1000)),
    );
    await using network = networkFor(server, { maxBodyBytes: 100 });
    const seen = record(network, { ...get(server), eventStream: true });
    await seen.settled;
    expect(seen.bytes).toBe(9000);
  });

  it('costs as much as its size, however it is split: a million pieces', async () => {
    await using server = await startTcp((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        socket.end('1\r\nx\r\n'.repeat(1_000_000) + '0\r\n\r\n');
      }),
    );
    await using network = networkFor(server);
    expect((await request(network, get(server))).body).toHaveLength(1_000_000);
  });

  it('a head without end is refused', async () => {
    await using server = await startTcp((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(`x-${'y'.repeat(1000)}: z\r\n`));
        socket.once('drain', more);
      };
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n');
        more();
      });
    });
    await using network = networkFor(server);
    await expect(request(network, get(server))).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  });
});

async function firstSocket(server: TestServer, settled: Promise<void>) {
  while (server.sockets.size === 0) await new Promise((resolve) => setImmediate(resolve));
  const sockets = [...server.sockets];
  await settled;
  return sockets;
}
