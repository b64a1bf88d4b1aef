import type { Clock } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';

/** Mutual exclusion of the callers in one process, first come, first served. */
export interface KeyedMutex {
  /** Resolves with the function that lets the next one in; STORE_BUSY after `waitMs`. */
  enter(key: string, waitMs: number): Promise<() => void>;
}

export function createKeyedMutex(clock: Clock): KeyedMutex {
  /** Who waits for each key that is taken. */
  const waiting = new Map<string, Set<() => void>>();

  const leave = (key: string): void => {
    const [next] = waiting.get(key) ?? [];
    if (next === undefined) waiting.delete(key);
    else next();
  };

  return {
    enter(key, waitMs) {
      const queue = waiting.get(key);
      if (queue === undefined) {
        waiting.set(key, new Set());
        return Promise.resolve(() => leave(key));
      }
      return new Promise((resolve, reject) => {
        const turn = (): void => {
          timer[Symbol.dispose]();
          queue.delete(turn);
          resolve(() => leave(key));
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

/** `inTheWay`: a file that is not a lock's own, where that is why the lock cannot be had. */
export function busyError(waitMs: number, inTheWay?: string): Error {
  const because = inTheWay === undefined ? '' : `: ${inTheWay} is in its way`;
  return storeError('STORE_BUSY', `The lock on a credential was not free within ${waitMs} ms${because}.`, {
    hint:
      inTheWay === undefined
        ? 'Another sign-in or refresh may be waiting for a person or for the network. Try again later.'
        : `Remove ${inTheWay}: it is not part of the lock.`,
    details: { waitMs, path: inTheWay },
  });
}
