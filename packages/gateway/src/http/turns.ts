import type { Clock } from '@mcp-fittings/client-core';
import { isRecent } from '@mcp-fittings/toolbox/timing';
import type { Exchange } from './exchange.js';

/** Requests that begin in one turn of the event loop. */
const BATCH = 8;
/** Turns that are left to the calls of others, after a request of someone who has more waiting. */
const REST = 8;
/** Milliseconds for which both count as there, after a request of one person and the next one of another. */
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
  /** Time of the latest request that came after one of someone else. */
  #sharedAt = -Infinity;
  /** True after a request has begun, until all are answered or a turn has passed: the next one waits for a turn. */
  #isTaken = false;
  #isScheduled = false;
  #rest = 0;
  /** Requests that have begun at once, since the last turn. */
  #free = 0;
  #underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of requests that wait, or have begun and are not answered. */
  get size(): number {
    return this.#underWay + Array.from(this.#waiting.values()).flat().length;
  }

  /** Resolves when it is the turn of a request of this person: at once, for a few, while nothing else is under way. */
  take(principal: string): Promise<void> {
    if (this.#latest !== undefined && this.#latest !== principal) this.#sharedAt = this.#clock.now();
    this.#latest = principal;
    if (this.#isTaken) {
      this.#schedule();
      return new Promise((resolve) => {
        const own = this.#waiting.get(principal);
        if (own === undefined) this.#waiting.set(principal, [resolve]);
        else own.push(resolve);
      });
    }
    this.#isTaken = true;
    this.#free += 1;
    // What is answered at once ends before the next turn, and a crowd of it would begin in one.
    if (this.#free === BATCH || this.#isShared()) this.#schedule();
    return Promise.resolve();
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
    this.#free = 0;
    this.#isTaken = this.#waiting.size > 0;
    if (!this.#isTaken) return;
    this.#schedule();
    this.#rest -= 1;
    const isShared = this.#isShared();
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

  #isShared(): boolean {
    return isRecent(this.#sharedAt, SHARED_MS, this.#clock.now());
  }
}
