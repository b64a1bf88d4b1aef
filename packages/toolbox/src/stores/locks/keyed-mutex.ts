import type { Clock } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';

/**
 * Excludes the callers in one process from each other, one lock per key, first come, first served: for a store that only this
 * process uses, or in front of a lock across processes.
 * @example
 * const mutex = new KeyedMutex(systemClock);
 * const release = await mutex.acquire('https://as.example', 60_000);
 * try {
 *   await refresh();
 * } finally {
 *   release();
 * }
 */
export class KeyedMutex {
  readonly #clock: Clock;
  /** The callers that wait for each key that is locked. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits for the lock of a key and resolves with its `release` function. Rejects with `STORE_BUSY` after `waitMs`. */
  acquire(key: string, waitMs: number): Promise<() => void> {
    const queue = this.#waiting.get(key);
    if (queue === undefined) {
      this.#waiting.set(key, new Set());
      return Promise.resolve(() => this.#release(key));
    }
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        timer[Symbol.dispose]();
        queue.delete(turn);
        resolve(() => this.#release(key));
      };
      const timer = this.#clock.schedule(() => {
        queue.delete(turn);
        reject(busyError(waitMs));
      }, waitMs);
      queue.add(turn);
    });
  }

  #release(key: string): void {
    const [next] = this.#waiting.get(key) ?? [];
    if (next === undefined) this.#waiting.delete(key);
    else next();
  }
}

/** Creates a `STORE_BUSY` error for a lock that was not free within `waitMs`. */
export function busyError(waitMs: number): Error {
  return storeError('STORE_BUSY', `Timed out after ${waitMs} ms waiting for the lock on a credential.`, {
    hint: 'Another sign-in or refresh may be waiting for the user or for the network. Try again later.',
    details: { waitMs },
  });
}
