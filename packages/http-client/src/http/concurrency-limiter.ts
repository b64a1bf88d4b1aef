import type { Clock } from '@mcp-fittings/client-core';

/** A request that waits for a socket. If it has to wait, exactly one of the two is called, unless it leaves first. */
export interface Waiter {
  /** Place of the request; set by the limiter only. Undefined: neither waiting nor let in. */
  place?: Place | undefined;
  start(): void;
  /** Called when the limiter is closed. */
  refuse(): void;
}

/** `inside`, or the number of a waiting request: how many have waited before it. */
type Place = 'inside' | number;

/** Requests in flight before further ones wait. */
const INITIAL = 64;
const DEFAULT_MAX = 1024;
/** Milliseconds without a completed request after which the limit doubles. */
const STALL_MS = 50;
/** So many times `STALL_MS` after which it doubles even while requests complete: long calls may hold most sockets. */
const LONGEST_WAIT = 8;
/** Places of requests that no longer wait are freed in steps, so that it costs little per request. */
const FREE_AT = 1024;

/**
 * Limits the number of requests in flight, because one socket for each request of a burst is slower than a few shared ones. While
 * requests wait the limit doubles, so that long calls do not block short ones, as they would in a pool of undici with a fixed number of
 * connections. It falls back when the burst is over.
 *
 * Requests are counted and kept in an array, not in a `Set`: a `Set` that changes all the time is copied every few dozen changes,
 * and V8 keeps what the old copies hold until the next full collection. With 64 event streams in flight that was 17 MB of each
 * 30 MB, and 40 % of the time.
 */
export class ConcurrencyLimiter {
  readonly #max: number;
  readonly #clock: Clock;
  #limit: number;
  #inside = 0;
  #waiting = 0;
  /** Those that wait; undefined where one was let in or has left. */
  #queue: (Waiter | undefined)[] = [];
  /** Number of places before the first of the queue that were freed. */
  #freed = 0;
  /** Index in the queue of the next one to let in. */
  #next = 0;
  /** Requests that completed since the last look. */
  #left = 0;
  #looks = 0;
  #timer: Disposable | undefined;
  #closed = false;

  /** @param max Requests in flight at most. Default 1024. */
  constructor(clock: Clock, max: number = DEFAULT_MAX) {
    this.#clock = clock;
    this.#max = max;
    this.#limit = Math.min(INITIAL, max);
  }

  /** Returns whether the request may start now; otherwise it is started or refused later. */
  enter(waiter: Waiter): boolean {
    if (this.#closed) waiter.refuse();
    else if (this.#inside < this.#limit && this.#waiting === 0) {
      this.#letIn(waiter);
      return true;
    } else {
      waiter.place = this.#freed + this.#queue.length;
      this.#queue.push(waiter);
      this.#waiting++;
      this.#watch();
    }
    return false;
  }

  /** Notes that the request is complete, or no longer wants to start. */
  leave(waiter: Waiter): void {
    const { place } = waiter;
    waiter.place = undefined;
    if (place === 'inside') {
      this.#inside--;
      this.#left++;
      this.#admit();
    } else if (place !== undefined) this.#remove(place - this.#freed);
    this.#rest();
  }

  close(): void {
    this.#closed = true;
    const refused = this.#queue.filter((waiter) => waiter !== undefined);
    for (const waiter of refused) waiter.place = undefined;
    this.#waiting = 0;
    this.#rest();
    for (const waiter of refused) waiter.refuse();
  }

  #letIn(waiter: Waiter): void {
    waiter.place = 'inside';
    this.#inside++;
  }

  #admit(): void {
    if (this.#waiting === 0) return;
    while (this.#hasRoom()) {
      const waiter = this.#queue[this.#next];
      if (waiter !== undefined) this.#remove(this.#next);
      this.#next++;
      if (waiter === undefined) continue;
      this.#letIn(waiter);
      waiter.start();
    }
    if (this.#next >= FREE_AT && this.#next * 2 >= this.#queue.length) this.#free(this.#next);
  }

  #hasRoom(): boolean {
    return this.#waiting > 0 && this.#inside < this.#limit;
  }

  #remove(index: number): void {
    this.#queue[index] = undefined;
    this.#waiting--;
  }

  /** Forgets the first places. */
  #free(places: number): void {
    this.#freed += places;
    this.#queue = this.#queue.slice(places);
    this.#next = 0;
  }

  #watch(): void {
    if (this.#timer !== undefined || this.#waiting === 0) return;
    this.#left = 0;
    // After a long turn of the event loop this runs before the answers that arrived meanwhile are read: then it looks again.
    this.#later(STALL_MS, () => {
      if (this.#left > 0) this.#look();
      else this.#later(0, () => this.#look());
    });
  }

  #look(): void {
    this.#looks++;
    if (this.#left === 0 || this.#looks % LONGEST_WAIT === 0)
      this.#limit = Math.min(this.#max, this.#limit * 2);
    this.#admit();
    this.#watch();
  }

  #later(ms: number, task: () => void): void {
    this.#timer = this.#clock.schedule(
      () => {
        this.#timer = undefined;
        task();
      },
      ms,
      { unref: true },
    );
  }

  /** Forgets what it has learned if no one waits. */
  #rest(): void {
    if (this.#waiting > 0) return;
    if (this.#queue.length > 0) this.#free(this.#queue.length);
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#looks = 0;
    const initial = Math.min(INITIAL, this.#max);
    if (this.#inside < initial) this.#limit = initial;
  }
}
