import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { scriptedServer, type Exchange } from './support/scripted-server.js';

const MIB = 1024 * 1024;
const secret = 'sk-live-0123456789abcdef';
const bomb = gzipSync(Buffer.alloc(64 * MIB, 'x'));
const BOMB_HEADERS = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };

const explode =
  (status: number) =>
  ({ response }: Exchange): void =>
    void response.writeHead(status, BOMB_HEADERS).end(bomb);

describe('a reply that calls itself an event stream', () => {
  it.each([401, 404, 503])('a refused POST and GET (%i) are read no further than a page', async (status) => {
    await using server = await scriptedServer({
      on: { GET: explode(status), 'tools/call': explode(status), 'notifications/x': explode(status) },
    });
    await using caller = await startCaller(
      createHttpTransport({ url: server.url, apiKey: secret, reconnect: { maxAttempts: 0 } }),
    );
    const before = process.memoryUsage().arrayBuffers;
    await caller.handshake();
    await expect(caller.request('tools/call')).rejects.toMatchObject({ details: { status } });
    await expect(caller.notify('notifications/x')).rejects.toMatchObject({ details: { status } });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * MIB);
  });

  it('the reply to a notification, and to the end of a session, is not read on', async () => {
    await using server = await scriptedServer({
      session: 's',
      on: { 'notifications/x': explode(200), DELETE: explode(200) },
    });
    const caller = await connect(createHttpTransport({ url: server.url }));
    const before = process.memoryUsage().arrayBuffers;
    await caller.notify('notifications/x');
    await caller.transport.close();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * MIB);
  });
});

describe('what a server repeats of our secrets', () => {
  it('is in no error: refusals, JSON-RPC errors, malformed answers', async () => {
    const says = `bad token ${secret} (${encodeURIComponent(secret)}), configured-secret, session-secret`;
    const answers: Readonly<Record<string, (exchange: Exchange) => void>> = {
      refusal: (exchange) => exchange.plain(400, says),
      'refusal with an error': (exchange) => exchange.rpcError(1, says, 400),
      error: (exchange) => exchange.rpcError(1, says),
      'broken JSON': (exchange) => exchange.plain(200, `{${says}`, { 'content-type': 'application/json' }),
      text: (exchange) => exchange.plain(200, says, { 'content-type': 'text/plain' }),
      'web page': (exchange) => exchange.plain(200, `<p>${says}</p>`, { 'content-type': 'text/html' }),
      'no event stream': (exchange) =>
        exchange.plain(200, `<p>${says}</p>`, { 'content-type': 'text/event-stream' }),
    };
    await using server = await scriptedServer({ session: 'session-secret', on: answers });
    const auth = {
      headers: () => Promise.resolve({ authorization: `Bearer ${secret}` }),
      onChallenge: () => Promise.resolve('retry' as const),
    };
    const headers = { 'X-Key': 'Scheme configured-secret' };
    await using caller = await connect(createHttpTransport({ url: server.url, auth, headers }));
    for (const method of Object.keys(answers)) {
      const error: unknown = await caller.request(method).catch((reason: unknown) => reason);
      expect(String(error), method).toContain('bad token [redacted] ([redacted]), [redacted], [redacted]');
      expect(inspect(error, { depth: 9, showHidden: true }), method).not.toMatch(/sk-live|-secret/);
    }
  });

  it.each(['application/json', 'text/event-stream'])(
    'nor in the data of a JSON-RPC error, in capitals or not, as %s',
    async (type) => {
      const error = {
        code: 1,
        message: 'no',
        data: { echo: [secret.toUpperCase()], [secret]: `x ${secret}` },
      };
      await using server = await scriptedServer({
        on: {
          'tools/call'(exchange) {
            const answer = { jsonrpc: '2.0', id: exchange.message.id, error };
            if (type === 'application/json') exchange.json(answer);
            else exchange.sse().event({ data: answer });
          },
        },
      });
      await using caller = await connect(createHttpTransport({ url: server.url, apiKey: secret }));
      await caller.request('tools/call').catch(() => undefined);
      expect(caller.messages.at(-1)).toMatchObject({
        error: { message: 'no', data: { echo: ['[redacted]'], '[redacted]': 'x [redacted]' } },
      });
    },
  );

  it('nor is a key in the query of the URL', async () => {
    await using server = await scriptedServer({
      on: { 'tools/call': (exchange) => exchange.plain(404, `Cannot POST ${exchange.path}`) },
    });
    await using caller = await connect(createHttpTransport({ url: `${server.url}?key=${secret}` }));
    const error: unknown = await caller.request('tools/call').catch((reason: unknown) => reason);
    expect(String(error)).toContain('Cannot POST /mcp?key=[redacted]');
  });
});

describe('a page instead of an answer', () => {
  it.each([
    [
      'with scripts',
      '<html><head><title>404</title></head>\r\n<script>alert(1)</script><style>b{}</style><!-- x -->Gone &amp; lost</html>',
      '404 Gone & lost',
    ],
    ['that never ends', `<html>${'<'.repeat(60_000)}`, '<'.repeat(100)],
  ])('%s is shown as text', async (_, page, text) => {
    await using server = await scriptedServer({
      on: { 'tools/call': (exchange) => exchange.plain(404, page, { 'content-type': 'text/html' }) },
    });
    await using caller = await connect(createHttpTransport({ url: server.url }));
    const error = (await caller.request('tools/call').catch((reason: unknown) => reason)) as Error;
    expect(error.message).toContain(`The server answered POST with 404 Not Found: ${text}`);
    expect(error.message.length).toBeLessThan(300);
  });
});
