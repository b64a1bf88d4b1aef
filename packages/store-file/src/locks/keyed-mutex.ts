import type { Clock } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';

/** Mutual exclusion of the callers in one process, one lock per key, first come, first served. */
export interface KeyedMutex {
  /** Waits for the lock of a key and resolves with its `release` function. Rejects with `STORE_BUSY` after `waitMs`. */
  acquire(key: string, waitMs: number): Promise<() => void>;
}

/**
 * Creates a {@link KeyedMutex}, for a store that only this process uses, or in front of a lock across processes.
 * @example
 * const mutex = createKeyedMutex(systemClock);
 * const release = await mutex.acquire('https://as.example', 60_000);
 * try {
 *   await refresh();
 * } finally {
 *   release();
 * }
 */
export function createKeyedMutex(clock: Clock): KeyedMutex {
  /** The callers that wait for each key that is locked. */
  const waiting = new Map<string, Set<() => void>>();

  const release = (key: string): void => {
    const [next] = waiting.get(key) ?? [];
    if (next === undefined) waiting.delete(key);
    else next();
  };

  return {
    acquire(key, waitMs) {
      const queue = waiting.get(key);
      if (queue === undefined) {
        waiting.set(key, new Set());
        return Promise.resolve(() => release(key));
      }
      return new Promise((resolve, reject) => {
        const turn = (): void => {
          timer[Symbol.dispose]();
          queue.delete(turn);
          resolve(() => release(key));
        };
        const timer = clock.schedule(() => {
          queue.delete(turn);
          reject(busyError(waitMs));
        }, waitMs);
        queue.add(turn);
      });
    },
  };
}

/** Creates a `STORE_BUSY` error for a lock that was not free within `waitMs`. */
export function busyError(waitMs: number): Error {
  return storeError('STORE_BUSY', `Timed out after ${waitMs} ms waiting for the lock on a credential.`, {
    hint: 'Another sign-in or refresh may be waiting for the user or for the network. Try again later.',
    details: { waitMs },
  });
}
