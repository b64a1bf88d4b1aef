import type { Clock } from '@mcp-fittings/client-core/transport';
import type { SocketPoolOptions } from '../options.js';

/** A request that waits for a socket. Exactly one of the two is called, unless it leaves first. */
export interface Waiter {
  /** Where it is; set by the limiter only. Undefined: neither waiting nor let in. */
  place?: Place | undefined;
  start(): void;
  /** The limiter was closed. */
  refuse(): void;
}

/** `inside`, or the number of a waiting request: how many have waited before it. */
type Place = 'inside' | number;

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

/** Places of requests that no longer wait are freed in steps, so that it costs little per request. */
const FREE_AT = 1024;

/**
 * Requests are counted and kept in an array, not in a `Set`: a `Set` that changes all the time is copied every few dozen changes,
 * and V8 keeps what the old copies hold until the next full collection. With 64 event streams in flight that was 17 MB of each
 * 30 MB, and 40 % of the time.
 */
export function createConcurrencyLimiter(policy: SocketPoolOptions, clock: Clock): ConcurrencyLimiter {
  const { max = Infinity, stallMs = 50 } = policy;
  const initial = Math.min(policy.initial ?? 64, max);
  let inside = 0;
  let waiting = 0;
  /** Those that wait; undefined where one was let in or has left. */
  let queue: (Waiter | undefined)[] = [];
  /** How many places before the first of `queue` were freed. */
  let freed = 0;
  /** Index in `queue` of the next one to let in. */
  let next = 0;
  let limit = initial;
  let left = 0;
  let waits = 0;
  /** Requests that completed in the last `LONGEST_WAIT` intervals, and in those before the last doubling. */
  let completed = 0;
  let completedBefore: number | undefined;
  let timer: Disposable | undefined;
  let closed = false;

  const letIn = (waiter: Waiter): void => {
    waiter.place = 'inside';
    inside++;
    waiter.start();
  };

  const remove = (index: number): void => {
    queue[index] = undefined;
    waiting--;
  };

  /** Forgets the first places. */
  const free = (places: number): void => {
    freed += places;
    queue = queue.slice(places);
    next = 0;
  };

  const canAdmit = (): boolean => waiting > 0 && inside < limit;

  const admit = (): void => {
    while (canAdmit()) {
      const waiter = queue[next];
      if (waiter !== undefined) remove(next);
      next++;
      if (waiter !== undefined) letIn(waiter);
    }
    if (next >= FREE_AT && next * 2 >= queue.length) free(next);
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
    if (timer !== undefined || waiting === 0) return;
    left = 0;
    // After a long turn of the event loop this runs before the answers that arrived meanwhile are read: then it looks again.
    later(stallMs, () => {
      if (left > 0) check();
      else later(0, check);
    });
  };

  const rest = (): void => {
    if (waiting > 0) return;
    if (queue.length > 0) free(queue.length);
    timer?.[Symbol.dispose]();
    timer = undefined;
    waits = 0;
    completed = 0;
    completedBefore = undefined;
    if (inside < initial) limit = initial;
  };

  return {
    enter(waiter) {
      if (closed) return waiter.refuse();
      if (inside < limit && waiting === 0) return letIn(waiter);
      waiter.place = freed + queue.length;
      queue.push(waiter);
      waiting++;
      watch();
    },
    leave(waiter) {
      const { place } = waiter;
      waiter.place = undefined;
      if (place === 'inside') {
        inside--;
        left++;
        if (waiting > 0) admit();
      } else if (place !== undefined) remove(place - freed);
      rest();
    },
    close() {
      closed = true;
      const refused = queue.filter((waiter) => waiter !== undefined);
      for (const waiter of refused) waiter.place = undefined;
      waiting = 0;
      rest();
      for (const waiter of refused) waiter.refuse();
    },
  };
}
