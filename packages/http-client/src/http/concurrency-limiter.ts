import type { Clock } from '@mcp-fittings/client-core/transport';
import type { SocketPolicy } from '../options.js';

/** What waits for a socket. Exactly one of the two is called, unless it leaves before. */
export interface Waiter {
  start(): void;
  /** The gate was closed. */
  refuse(): void;
}

/**
 * Lets few requests in at a time: one socket for each of a burst is slower than sharing some. Where nothing comes
 * out for a while the limit doubles, so that long calls never starve short ones; it falls back when the rush is over.
 */
export interface ConcurrencyLimiter {
  /** Calls `start` now or later. */
  enter(waiter: Waiter): void;
  /** It is done, or no longer wants to start. */
  leave(waiter: Waiter): void;
  close(): void;
}

/** Longest wait, in patience intervals, even while others come and go. */
const LONGEST_WAIT = 8;

export function createConcurrencyLimiter(policy: SocketPolicy, clock: Clock): ConcurrencyLimiter {
  const { max = Infinity, patienceMs = 50 } = policy;
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
      patienceMs,
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
