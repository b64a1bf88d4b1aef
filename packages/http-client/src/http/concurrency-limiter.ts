import type { Clock } from '@mcp-fittings/client-core/transport';
import type { SocketPoolOptions } from '../options.js';

/** A request that waits for a socket. Exactly one of the two is called, unless it leaves first. */
export interface Waiter {
  start(): void;
  /** The limiter was closed. */
  refuse(): void;
}

/**
 * Limits the number of requests in flight, because one socket for each request of a burst is slower than a few shared ones. If no
 * request completes for a while the limit doubles, so that long calls do not block short ones. It falls back when the burst is
 * over.
 */
export interface ConcurrencyLimiter {
  /** Calls `start` now or later. */
  enter(waiter: Waiter): void;
  /** The request is complete, or no longer wants to start. */
  leave(waiter: Waiter): void;
  close(): void;
}

/** Intervals of `stallMs` after which the limit doubles even while requests complete. */
const LONGEST_WAIT = 8;

export function createConcurrencyLimiter(policy: SocketPoolOptions, clock: Clock): ConcurrencyLimiter {
  const { max = Infinity, stallMs = 50 } = policy;
  const initial = Math.min(policy.initial ?? 16, max);
  const inside = new Set<Waiter>();
  const waiting = new Set<Waiter>();
  let limit = initial;
  let left = 0;
  let waits = 0;
  let timer: Disposable | undefined;
  let closed = false;

  const admit = (): void => {
    for (const waiter of waiting) {
      if (inside.size >= limit) return;
      waiting.delete(waiter);
      inside.add(waiter);
      waiter.start();
    }
  };

  const watch = (): void => {
    if (timer !== undefined || waiting.size === 0) return;
    left = 0;
    timer = clock.schedule(
      () => {
        timer = undefined;
        waits++;
        if (left === 0 || waits % LONGEST_WAIT === 0) limit = Math.min(max, limit * 2);
        admit();
        watch();
      },
      stallMs,
      { unref: true },
    );
  };

  const rest = (): void => {
    if (waiting.size > 0) return;
    timer?.[Symbol.dispose]();
    timer = undefined;
    waits = 0;
    if (inside.size < initial) limit = initial;
  };

  return {
    enter(waiter) {
      if (closed) return waiter.refuse();
      if (inside.size < limit && waiting.size === 0) {
        inside.add(waiter);
        return waiter.start();
      }
      waiting.add(waiter);
      watch();
    },
    leave(waiter) {
      if (inside.delete(waiter)) {
        left++;
        admit();
      } else waiting.delete(waiter);
      rest();
    },
    close() {
      closed = true;
      const refused = [...waiting];
      waiting.clear();
      rest();
      for (const waiter of refused) waiter.refuse();
    },
  };
}
