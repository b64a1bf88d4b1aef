import type { Clock } from '@mcp-fittings/client-core';
import type { Exchange } from './exchange.js';

/** Requests that begin in one turn of the event loop. */
const BATCH = 8;
/** Turns that are left to the calls of others, after a request of someone who has more waiting. */
const REST = 8;
/** Milliseconds for which others count as there, after requests of two people. */
const SHARED_MS = 1000;

/**
 * Serves requests by turns of persons: in each turn of the event loop a few begin, of the people who wait one after the other. Someone who
 * sends hundreds at once waits for their own requests, and anyone else for a turn. While others are there, a turn takes one request of such
 * a person and the next ones none, so that the calls of the others get ahead.
 */
export class Turns {
  readonly #clock: Clock;
  /** Requests that wait, by person. The first person is the next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Person of the latest request. */
  #latest: string | undefined;
  /** Time until which others count as there. */
  #sharedUntil = -Infinity;
  /** True after a request has begun, until all are answered or a turn has passed: the next one waits for a turn. */
  #isTaken = false;
  #isScheduled = false;
  #rest = 0;
  #underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many requests have begun and are not answered. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Resolves when it is the turn of a request of this person: at once, and without a turn that costs time, while nothing else is under way. */
  take(principal: string): Promise<void> {
    if (this.#latest !== undefined && this.#latest !== principal)
      this.#sharedUntil = this.#clock.now() + SHARED_MS;
    this.#latest = principal;
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve();
    }
    this.#schedule();
    return new Promise((resolve) => {
      const own = this.#waiting.get(principal);
      if (own === undefined) this.#waiting.set(principal, [resolve]);
      else own.push(resolve);
    });
  }

  /** Counts a request as under way until it is answered. */
  watch(exchange: Pick<Exchange, 'onOver'>): void {
    this.#underWay += 1;
    exchange.onOver(() => {
      this.#underWay -= 1;
      if (this.#underWay === 0 && !this.#isScheduled) this.#isTaken = false;
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isScheduled = false;
    this.#isTaken = this.#waiting.size > 0;
    if (!this.#isTaken) return;
    this.#schedule();
    this.#rest -= 1;
    const isShared = this.#clock.now() < this.#sharedUntil;
    let left = BATCH;
    for (const [principal, own] of this.#waiting) {
      const mustRest = isShared && own.length > 1;
      if (mustRest && this.#rest > 0) continue;
      if (mustRest) this.#rest = REST;
      const begin = own.shift();
      this.#waiting.delete(principal);
      // Their next one comes after those of the others, perhaps in this turn.
      if (own.length > 0) this.#waiting.set(principal, own);
      begin?.();
      left -= 1;
      if (left === 0) return;
    }
  };
}
