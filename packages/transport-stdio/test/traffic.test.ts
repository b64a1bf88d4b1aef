import { describe, expect, it } from 'vitest';
import { isRunning } from './support/processes.js';
import { startToy } from './support/toy-client.js';

const MB = 1_000_000;

describe('a server that does not read', () => {
  it('delays a notification, then rejects more: memory stays bounded', async () => {
    await using client = await startToy({ maxQueuedBytes: 10 * MB });
    await client.result('stop-reading');
    const text = 'x'.repeat(MB);
    const sends = Array.from({ length: 50 }, () => client.notify('n', { text }));
    const outcomes = sends.map(() => 'waits');
    for (const [index, send] of sends.entries()) {
      send.then(
        () => (outcomes[index] = 'taken'),
        (error: unknown) => (outcomes[index] = String((error as { code?: unknown }).code)),
      );
    }
    await expect(sends.at(-1)).rejects.toMatchObject({ code: 'SEND_QUEUE_FULL', delivery: 'not-sent' });
    const counted = (state: string): number => outcomes.filter((outcome) => outcome === state).length;
    expect(counted('SEND_QUEUE_FULL')).toBeGreaterThanOrEqual(40);
    expect(counted('waits')).toBeGreaterThan(0);
    const requests = [client.ask('ping', { text }), client.ask('ping', { text })];
    await expect(requests[0]).rejects.toMatchObject({ code: 'SEND_QUEUE_FULL', delivery: 'not-sent' });
    await client.transport.close();
    await Promise.allSettled([...sends, ...requests]);
    expect(counted('waits')).toBe(0);
  });

  it('one message of 50 MB waits, and fails when the server exits', async () => {
    await using client = await startToy({ maxQueuedBytes: 10 * MB });
    await client.result('stop-reading');
    const large = client.ask('length', { text: 'x'.repeat(50 * MB) });
    const behind = client.ask('ping');
    await expect(behind).rejects.toMatchObject({ code: 'SEND_QUEUE_FULL' });
    process.kill(client.transport.pid ?? 0, 'SIGKILL');
    await expect(large).rejects.toMatchObject({ code: 'PROCESS_EXITED', delivery: 'unknown' });
  });

  it('that closes its stdin without exiting is ended: EPIPE is handled', async () => {
    await using client = await startToy();
    const pid = client.transport.pid ?? 0;
    client.ask('close-stdin').catch(() => undefined);
    const pending = client.ask('length', { text: 'x'.repeat(5 * MB) });
    await expect(pending).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('stdin'),
    });
    expect(await client.closed).toMatchObject({ cause: { code: 'EPIPE' } });
    expect(isRunning(pid)).toBe(false);
  });
});

it('a slow handler makes the server wait: its output does not pile up here', async () => {
  await using client = await startToy();
  let handled = 0;
  let most = 0;
  const before = process.memoryUsage().rss;
  client.transport.onmessage = () => {
    handled++;
    const until = performance.now() + 1;
    while (performance.now() < until);
    if (handled % 10 === 0) most = Math.max(most, process.memoryUsage.rss());
  };
  const notification = { jsonrpc: '2.0', method: 'n', params: { text: 'x'.repeat(500_000) } };
  const text = `${JSON.stringify(notification)}\n`;
  // Much more than what the collector may leave lying about: piled up, it would be 125 MB.
  await client.transport.send({ jsonrpc: '2.0', id: 1, method: 'flood', params: { text, times: 250 } });
  expect(handled).toBe(251);
  expect(most - before).toBeLessThan(75 * MB);
});
