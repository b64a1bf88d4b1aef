import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect } from './support/caller.js';
import { scriptedServer } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';

/** Longer than any timer of undici at the scale of this test; the nightly run sets it to six minutes. */
const SILENCE_MS = Number(process.env['FITTINGS_SILENCE_MS'] ?? 2500);
const SHORT_MS = 700;

describe('silence', () => {
  it(
    'ends no stream: neither the server’s own, nor one of a request, nor one that has not begun',
    { timeout: SILENCE_MS + 30_000 },
    async () => {
      const own = openStreams();
      const held = openStreams();
      await using server = await scriptedServer({
        on: { GET: own.script, streamed: held.script, unbegun: () => undefined },
      });
      await using caller = await connect(createHttpTransport({ url: server.url }));
      await server.until('GET');
      const streamed = caller.request('streamed', {}, { id: 50 });
      const unbegun = caller.request('unbegun', {}, { id: 51 });
      await server.until('streamed');
      const last = await server.until('unbegun');
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
      own.writers[0]?.event({ data: { jsonrpc: '2.0', method: 'notifications/still/here' } });
      held.writers[0]?.event({ data: { jsonrpc: '2.0', id: 50, result: { streamed: true } } }).end();
      last.result({ unbegun: true });
      expect(await streamed).toEqual({ streamed: true });
      expect(await unbegun).toEqual({ unbegun: true });
      await caller.until(() => caller.notifications('notifications/still/here')[0]);
      expect(server.of('GET')).toHaveLength(1);
      expect(caller.errors).toEqual([]);
    },
  );

  it('ends a stream where a limit is configured, and a request learns of it at once', async () => {
    const held = openStreams();
    await using server = await scriptedServer({ on: { streamed: held.script, unbegun: () => undefined } });
    const network = { timeouts: { bodyIdleMs: SHORT_MS, headersMs: SHORT_MS } };
    await using caller = await connect(createHttpTransport({ url: server.url, network }));
    const streamed = caller.request('streamed').catch((error: unknown) => error);
    await expect(caller.request('unbegun')).rejects.toMatchObject({ code: 'TIMEOUT', delivery: 'unknown' });
    expect(await streamed).toMatchObject({
      code: 'STREAM_LOST',
      delivery: 'unknown',
      cause: { code: 'TIMEOUT' },
    });
  });
});
