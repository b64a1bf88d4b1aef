import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { startCaller } from './support/caller.js';
import { modernParams } from './support/modern.js';
import { scriptedServer } from './support/scripted-server.js';
import { openStreams } from './support/streams.js';

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

describe('the stream of subscriptions/listen', () => {
  it('ends with STREAM_LOST after its silence, in which comments count as life', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({ on: { 'subscriptions/listen': streams.script } });
    await using caller = await startCaller(
      createHttpTransport({ url: server.url, clock, reconnect: { silenceMs: 5000 } }),
    );
    let ended = false;
    const listening = caller
      .request('subscriptions/listen', modernParams())
      .catch((error: unknown) => error)
      .finally(() => (ended = true));
    await server.until('subscriptions/listen');
    streams.writers[0]?.event({ data: changed });
    await caller.until(() => caller.notifications(changed.method)[0]);
    await clock.advance(4000);
    streams.writers[0]?.raw(': alive\n\n').event({ data: changed });
    await caller.until(() => caller.notifications(changed.method)[1]);
    await clock.advance(4999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(await listening).toMatchObject({ code: 'STREAM_LOST', cause: { code: 'TIMEOUT' } });
    // The socket is not left behind.
    await server.of('subscriptions/listen')[0]?.ended;
    expect(clock.pending).toBe(0);
  });

  it('may be silent for ever where silenceMs is 0, and the stream of any other request always', async () => {
    const streams = openStreams();
    const clock = createManualClock();
    await using server = await scriptedServer({
      on: { 'subscriptions/listen': streams.script, 'tools/call': streams.script },
    });
    for (const [method, silenceMs] of [
      ['subscriptions/listen', 0],
      ['tools/call', 5000],
    ] as const) {
      await using caller = await startCaller(
        createHttpTransport({ url: server.url, clock, reconnect: { silenceMs } }),
      );
      const pending = caller.request(method, modernParams({ name: 'x' }));
      await server.until(method);
      streams.writers.at(-1)?.event({ data: changed });
      await caller.until(() => caller.notifications(changed.method)[0]);
      expect(clock.pending).toBe(0);
      streams.writers.at(-1)?.result({ done: true }).end();
      expect(await pending).toEqual({ done: true });
    }
  });
});
