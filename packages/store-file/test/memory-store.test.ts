import { createManualClock } from '@mcp-fittings/testkit/clock';
import { memoryStore } from '@mcp-fittings/store-file';
import { expect, it } from 'vitest';

it('serves callers first come, first served, and rejects with STORE_BUSY after waitMs', async () => {
  const clock = createManualClock();
  const store = memoryStore({ clock, lock: { waitMs: 1000 } });
  const order: string[] = [];
  let finish = (): void => undefined;
  const first = store.withLock('key', () => new Promise<void>((resolve) => (finish = resolve)));
  const early = store.withLock('key', async () => void order.push('early'));
  const rejected = expect(early).rejects.toMatchObject({
    code: 'STORE_BUSY',
    kind: 'auth',
    retryable: true,
    details: { waitMs: 1000 },
  });
  await clock.advance(600);
  const late = [1, 2, 3].map((n) => store.withLock('key', async () => void order.push(`late ${n}`)));
  await clock.advance(400);
  await rejected;
  finish();
  await Promise.all([first, ...late]);
  expect(order).toEqual(['late 1', 'late 2', 'late 3']);
  expect(clock.pending).toBe(0);
});

it('shares nothing between two instances', async () => {
  const [one, other] = [memoryStore(), memoryStore()];
  await one.set('key', { a: 1 });
  expect(await other.get('key')).toBeUndefined();
  expect(await one.withLock('key', () => other.withLock('key', async () => 'both'))).toBe('both');
});
