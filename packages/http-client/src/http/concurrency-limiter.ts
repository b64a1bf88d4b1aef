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
/** The last doubling helped if so many times as many requests complete since. */
const FASTER = 1.25;
/** Long calls hold sockets if only so small a part of them does. */
const SLOWER = 0.5;

export function createConcurrencyLimiter(policy: SocketPoolOptions, clock: Clock): ConcurrencyLimiter {
  const { max = Infinity, stallMs = 50 } = policy;
  const initial = Math.min(policy.initial ?? 16, max);
  const inside = new Set<Waiter>();
  const waiting = new Set<Waiter>();
  let limit = initial;
  let left = 0;
  let waits = 0;
  /** Requests that completed in the last `LONGEST_WAIT` intervals, and in those before the last doubling. */
  let completed = 0;
  let completedBefore: number | undefined;
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

  /**
   * Whether more sockets are worth a try. They are not if the last ones changed nothing: without this, 60 000 calls at once had 4096
   * sockets in the end, each call took twice as long, and 100 000 ran out of ports.
   */
  const isLongWait = (): boolean => {
    if (waits % LONGEST_WAIT !== 0) return false;
    const now = completed;
    completed = 0;
    const before = completedBefore;
    if (before !== undefined && now <= before * FASTER && now >= before * SLOWER) return false;
    completedBefore = now;
    return true;
  };

  const later = (ms: number, task: () => void): void => {
    timer = clock.schedule(
      () => {
        timer = undefined;
        task();
      },
      ms,
      { unref: true },
    );
  };

  const check = (): void => {
    waits++;
    completed += left;
    if (isLongWait() || left === 0) limit = Math.min(max, limit * 2);
    admit();
    watch();
  };

  const watch = (): void => {
    if (timer !== undefined || waiting.size === 0) return;
    left = 0;
    // After a long turn of the event loop this runs before the answers that arrived meanwhile are read: then it looks again.
    later(stallMs, () => {
      if (left > 0) check();
      else later(0, check);
    });
  };

  const rest = (): void => {
    if (waiting.size > 0) return;
    timer?.[Symbol.dispose]();
    timer = undefined;
    waits = 0;
    completed = 0;
    completedBefore = undefined;
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
