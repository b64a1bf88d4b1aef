import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { createSseTransport } from '../src/index.js';
import { listen, request } from './support/session.js';
import { echoing, startSseServer } from './support/sse-server.js';

const MIB = 1024 * 1024;
const secret = 'sk-live-0123456789abcdef';
/** A page of 64 MiB that calls itself an event stream. */
const bomb = gzipSync(Buffer.alloc(64 * MIB, 'x'));
const BOMB_HEADERS = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };

describe('a refusal that calls itself an event stream', () => {
  it.each([
    ['GET', 401],
    ['GET', 500],
    ['POST', 401],
    ['POST', 500],
  ])('a refused %s (%i) is read no further than any other page', async (verb, status) => {
    const refuse = (response: ServerResponse): void =>
      void response.writeHead(status, BOMB_HEADERS).end(bomb);
    await using server = await startSseServer({
      onGet: (_, response) => {
        if (verb === 'GET') refuse(response);
        return verb === 'GET';
      },
      onPost: (_, response) => refuse(response),
    });
    await using transport = createSseTransport({ url: server.url, apiKey: secret });
    const before = process.memoryUsage().arrayBuffers;
    const error = await failureOf(transport.start().then(() => transport.send(request(1))));
    expect(error).toMatchObject({ details: { status } });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MIB);
  });
});

describe('what a server repeats of our secrets', () => {
  it('is in no error: refused stream, refused message, JSON-RPC error on the stream and in a refusal', async () => {
    const says = `bad token ${secret} (${encodeURIComponent(secret)})`;
    await using refusing = await startSseServer({
      onGet(_, response) {
        response.writeHead(403).end(`<html><title>No</title><body>${says}</body></html>`);
        return true;
      },
    });
    const auth = {
      headers: () => Promise.resolve({ authorization: `Bearer ${secret}` }),
      onChallenge: () => Promise.resolve('retry' as const),
    };
    await using refused = createSseTransport({ url: refusing.url, auth });
    const streamError = await failureOf(refused.start());
    expect(inspect(streamError, { depth: 9, showHidden: true })).not.toContain(secret);
    expect(String(streamError)).toContain('No bad token [redacted]');

    await using server = await startSseServer({
      onPost(seen, response, stream) {
        const { id } = JSON.parse(seen.body) as { id: number };
        const error = {
          jsonrpc: '2.0',
          id,
          error: { code: 1, message: says, data: { echo: [secret.toUpperCase()] } },
        };
        if (id === 1) return void response.writeHead(400).end(says);
        if (id === 2) return void response.writeHead(400).end(JSON.stringify(error));
        response.writeHead(202).end();
        stream?.message(error);
      },
    });
    await using transport = createSseTransport({ url: `${server.url}?key=${secret}` });
    const session = listen(transport);
    await transport.start();
    expect(
      inspect(await failureOf(transport.send(request(1))), { depth: 9, showHidden: true }),
    ).not.toContain(secret);
    await transport.send(request(2));
    await transport.send(request(3));
    expect(session.messages).toHaveLength(2);
    for (const message of session.messages) {
      expect(message).toMatchObject({
        error: { message: 'bad token [redacted] ([redacted])', data: { echo: ['[redacted]'] } },
      });
    }
  });
});

describe('a refused call', () => {
  it('does not end the others that are under way', async () => {
    await using server = await startSseServer({
      onPost(seen, response, stream) {
        const { id } = JSON.parse(seen.body) as { id: number };
        if (id === 1) return void response.writeHead(401).end();
        if (id !== 2) return echoing.onPost(seen, response, stream);
        response.writeHead(202).end();
        return undefined;
      },
    });
    await using transport = createSseTransport({ url: server.url, apiKey: secret });
    const session = listen(transport);
    await transport.start();
    const slow = transport.send(request(2));
    expect(await failureOf(transport.send(request(1)))).toMatchObject({
      code: 'AUTH_REJECTED',
      delivery: 'rejected',
    });
    await transport.send(request(3));
    server.streams[0]?.message({ jsonrpc: '2.0', id: 2, result: {} });
    await slow;
    expect(session.closes).toBe(0);
  });
});
