import type { Clock } from '@mcp-fittings/client-core';
import { Fifo } from '@mcp-fittings/toolbox/base-transport';

/** A request that waits for a socket. If it has to wait, exactly one of the two is called, unless it leaves first. */
export interface Waiter {
  /** Place of the request; set by the limiter only. Undefined: neither waiting nor let in. */
  place?: Place | undefined;
  start(): void;
  /** Called when the limiter is closed. */
  refuse(): void;
}

/** `inside`, or the place of a waiting request, which is empty when it no longer waits. */
type Place = 'inside' | { waiter: Waiter | undefined };

/** Requests in flight before further ones wait. */
const INITIAL = 64;
const DEFAULT_MAX = 1024;
/** Milliseconds without a completed request after which the limit doubles. */
const STALL_MS = 50;
/** So many times `STALL_MS` after which it doubles even while requests complete: long calls may hold most sockets. */
const LONGEST_WAIT = 8;

/**
 * Limits the number of requests in flight, because one socket for each request of a burst is slower than a few shared ones. While
 * requests wait the limit doubles, so that long calls do not block short ones, as they would in a pool of undici with a fixed number of
 * connections. It falls back when the burst is over.
 *
 * Requests are counted and kept in a queue, not in a `Set`: a `Set` that changes all the time is copied every few dozen changes,
 * and V8 keeps what the old copies hold until the next full collection. With 64 event streams in flight that was 17 MB of each
 * 30 MB, and 40 % of the time.
 */
export class ConcurrencyLimiter {
  readonly #max: number;
  readonly #clock: Clock;
  #limit: number;
  #inside = 0;
  #waiting = 0;
  readonly #queue = new Fifo<Exclude<Place, 'inside'>>();
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
      const place = { waiter };
      waiter.place = place;
      this.#queue.push(place);
      this.#waiting++;
      this.#watch();
    }
    return false;
  }

  /** Notes that the request is complete, or no longer wants to start. */
  leave(waiter: Waiter): void {
    if (waiter.place === 'inside') {
      waiter.place = undefined;
      this.#inside--;
      this.#left++;
      this.#admit();
    } else this.#vacate(waiter);
    this.#rest();
  }

  close(): void {
    this.#closed = true;
    while (this.#waiting > 0) this.#takeFirst()?.refuse();
    this.#rest();
  }

  #letIn(waiter: Waiter): void {
    waiter.place = 'inside';
    this.#inside++;
  }

  #admit(): void {
    while (this.#waiting > 0 && this.#inside < this.#limit) {
      const waiter = this.#takeFirst();
      if (waiter === undefined) continue;
      this.#letIn(waiter);
      waiter.start();
    }
  }

  /** Returns the one that has waited longest, which then no longer waits; undefined for an empty place. */
  #takeFirst(): Waiter | undefined {
    const waiter = this.#queue.shift()?.waiter;
    if (waiter !== undefined) this.#vacate(waiter);
    return waiter;
  }

  /** Empties the place of one that waits. An old place would hold it until the next full collection. */
  #vacate(waiter: Waiter): void {
    const { place } = waiter;
    if (typeof place !== 'object') return;
    place.waiter = undefined;
    waiter.place = undefined;
    this.#waiting--;
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
    if (!this.#queue.isEmpty) this.#queue.clear();
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#looks = 0;
    const initial = Math.min(INITIAL, this.#max);
    if (this.#inside < initial) this.#limit = initial;
  }
}
