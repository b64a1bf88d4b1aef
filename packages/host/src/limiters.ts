import type { Clock } from '@mcp-fittings/client-core';

/** Bounds how many operations run at the same time. The others wait in order. */
export interface Semaphore {
  /** Resolves with the function that releases the slot; it may be called twice. Rejects with the reason of the signal. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

export function createSemaphore(slots: number): Semaphore {
  let free = slots;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free++;
    else next();
  };

  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        const once = (): (() => void) => {
          let given = false;
          return () => {
            if (!given) release();
            given = true;
          };
        };
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free--;
          return resolve(once());
        }
        const onAbort = (): void => {
          waiting.delete(go);
          reject(signal.reason);
        };
        const go = (): void => {
          waiting.delete(go);
          signal.removeEventListener('abort', onAbort);
          resolve(once());
        };
        waiting.add(go);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}

/** Bounds how many events pass in each second, and counts the others. */
export interface RateLimit {
  allow(): boolean;
  /** Returns how many were dropped since the last call. */
  takeDropped(): number;
}

export function createRateLimit(clock: Clock, perSecond: number): RateLimit {
  let windowStart = 0;
  let passed = 0;
  let dropped = 0;
  return {
    allow() {
      const now = clock.now();
      if (now - windowStart >= 1000) {
        windowStart = now;
        passed = 0;
      }
      if (passed < perSecond) {
        passed++;
        return true;
      }
      dropped++;
      return false;
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}
