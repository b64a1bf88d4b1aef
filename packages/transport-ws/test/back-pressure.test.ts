import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { startedClient } from './support/clients.js';
import { startRawServer } from './support/raw-server.js';

const MIB = 1024 * 1024;

describe('a peer that does not read', () => {
  it('refuses with SEND_QUEUE_FULL above the limit and goes on with what it took', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url, { maxQueuedBytes: 20 * MIB });
    await using _ = recorder.transport;
    const peer = await raw.connection();
    peer.socket.pause();
    const text = 'x'.repeat(4 * MIB);
    const outcomes = Array.from({ length: 40 }, (_unused, index) =>
      recorder.notify('notifications/x', { index, text }).then(
        () => 'sent',
        (error: unknown) => error,
      ),
    );
    const refused = (await Promise.race(outcomes)) as Error;
    expect(refused).toMatchObject({ code: 'SEND_QUEUE_FULL', delivery: 'not-sent', retryable: true });
    // A request too.
    expect(await failureOf(recorder.request(1, 'x', { text: text.repeat(4) }))).toMatchObject({
      code: 'SEND_QUEUE_FULL',
      delivery: 'not-sent',
    });
    peer.socket.resume();
    const sent = (await Promise.all(outcomes)).filter((outcome) => outcome === 'sent');
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(40);
    for (const [index] of sent.entries()) {
      const { params } = JSON.parse((await peer.nextFrame()).payload.toString()) as {
        params: { index: number };
      };
      expect(params.index).toBe(index);
    }
  });

  it('a single message above the limit is still sent when nothing else waits', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url, { maxQueuedBytes: 1000 });
    await using _ = recorder.transport;
    const peer = await raw.connection();
    await recorder.notify('notifications/x', { text: 'x'.repeat(100_000) });
    expect((await peer.nextFrame()).payload.length).toBeGreaterThan(100_000);
  });

  it('keeps memory to the limit while 256 MiB are offered', async () => {
    await using raw = await startRawServer();
    const recorder = await startedClient(raw.url, { maxQueuedBytes: 16 * MIB });
    await using _ = recorder.transport;
    const peer = await raw.connection();
    peer.socket.pause();
    const text = 'x'.repeat(MIB);
    const before = process.memoryUsage().rss;
    let refused = 0;
    for (let index = 0; index < 256; index++) {
      recorder.notify('notifications/x', { text }).catch(() => (refused += 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refused).toBeGreaterThan(232);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
  });
});
