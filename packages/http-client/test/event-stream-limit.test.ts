import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib';
import type { Transform } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../src/index.js';
import { startHttp, type TestServer } from './support/http-server.js';
import { record } from './support/recorder.js';

const KIB = 1024;
const LIMIT = 16 * KIB;
const BOMB = 8 * KIB * KIB;

const networkFor = (server: TestServer): HttpClient =>
  createHttpClient({ url: server.origin, maxBodyBytes: LIMIT });

const PLAIN = Buffer.from(`data: ${'x'.repeat(KIB)}\n\n`.repeat(BOMB / KIB));
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };
/** A reply that calls itself an event stream and goes on for long, by its encoding. */
const BOMBS: Readonly<Record<string, Buffer>> = {
  identity: PLAIN,
  gzip: gzipSync(PLAIN),
  br: brotliCompressSync(PLAIN, FAST),
};
const bomb = (encoding: string): Buffer => BOMBS[encoding] ?? PLAIN;

describe('a reply that calls itself an event stream', () => {
  it.each([
    ['text/event-stream', 'identity'],
    ['Text/Event-Stream; charset=utf-8', 'gzip'],
    ['text/event-stream;x=y', 'br'],
  ])('is bounded where none was asked for: %s, %s', async (type, encoding) => {
    const body = bomb(encoding);
    await using server = await startHttp((_, response) =>
      response.writeHead(200, { 'content-type': type, 'content-encoding': encoding }).end(body),
    );
    await using network = networkFor(server);
    const seen = record(network, { url: new URL(server.origin), method: 'POST' });
    await seen.settled;
    expect(seen.error).toMatchObject({ code: 'MESSAGE_TOO_LARGE', details: { limit: LIMIT } });
    expect(seen.bytes).toBeLessThanOrEqual(LIMIT);
    await expect(network.fetch(server.origin)).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  });

  it.each([302, 401, 500])('is bounded with the status %i, though a stream was asked for', async (status) => {
    const body = bomb('gzip');
    await using server = await startHttp((_, response) =>
      response
        .writeHead(status, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
        .end(body),
    );
    await using network = networkFor(server);
    const seen = record(network, { url: new URL(server.origin), method: 'GET', eventStream: true });
    await seen.settled;
    expect(seen.error).toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    expect(seen.bytes).toBeLessThanOrEqual(LIMIT);
  });

  it('is bounded behind a redirect', async () => {
    const body = bomb('gzip');
    await using server = await startHttp(({ url }, response) => {
      if (url === '/') return response.writeHead(307, { location: '/next' }).end(body);
      return response
        .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
        .end(body);
    });
    await using network = networkFor(server);
    const seen = record(network, { url: new URL(server.origin), method: 'GET' });
    await seen.settled;
    expect(server.seen).toHaveLength(2);
    expect(seen.error).toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  });

  it('a zstd body, which was not asked for, is refused unread', async () => {
    await using server = await startHttp((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'zstd' })
        .end(Buffer.alloc(64 * KIB)),
    );
    await using network = networkFor(server);
    const seen = record(network, { url: new URL(server.origin), method: 'GET', eventStream: true });
    await seen.settled;
    expect(seen.error).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    expect(seen.bytes).toBe(0);
  });

  it.each<[string, (() => Transform) | undefined]>([
    ['identity', undefined],
    ['gzip', createGzip],
    ['br', () => createBrotliCompress(FAST)],
  ])('is exempt where it was asked for and answered 2xx: %s', async (encoding, compress) => {
    const body = bomb('identity');
    await using server = await startHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      if (compress === undefined) return response.end(body);
      const coder = compress();
      coder.pipe(response);
      return coder.end(body);
    });
    await using network = networkFor(server);
    const seen = record(network, { url: new URL(server.origin), method: 'GET', eventStream: true });
    await seen.settled;
    expect(seen.calls.at(-1)).toBe('end');
    expect(seen.bytes).toBe(body.length);
  });
});
