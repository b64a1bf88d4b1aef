import { setImmediate } from 'node:timers/promises';
import type { TokenStore } from '@mcp-fittings/client-core';

/** Reads, computes and writes, with a pause in which others run: without a lock, updates are lost. */
export async function increment(store: TokenStore, key: string): Promise<void> {
  await store.withLock(key, async () => {
    const count = (await store.get(key))?.['count'];
    await setImmediate();
    await store.set(key, { count: typeof count === 'number' ? count + 1 : 1 });
  });
}

/**
 * Resolves with all values, or rejects with the first rejection after every promise has settled: a case that failed leaves nothing
 * behind that writes into the store of the next one.
 */
export async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
