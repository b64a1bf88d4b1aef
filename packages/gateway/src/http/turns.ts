import type { Exchange } from './exchange.js';

/** Requests that begin in one turn of the event loop. */
const BATCH = 8;
/** Turns that are left to the calls of others, after a request of someone who has more waiting. */
const REST = 8;

/**
 * Serves requests by turns of persons: in each turn of the event loop a few begin, of the people who wait one after the other. Someone who
 * sends hundreds at once waits for their own requests, and anyone else for a turn. While someone else has a call under way, a turn takes
 * one request of such a person and the next ones none, so that this call gets ahead.
 */
export class Turns {
  /** Requests that wait, by person. The first person is the next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Requests that have begun and are not answered, by person. */
  readonly #underWay = new Map<string, number>();
  /** True after a request has begun, until all are answered or a turn has passed: the next one waits for a turn. */
  #isTaken = false;
  #isScheduled = false;
  #rest = 0;
  #sum = 0;

  /** How many requests have begun and are not answered. */
  get underWay(): number {
    return this.#sum;
  }

  /** Resolves when it is the turn of a request of this person: at once, and without a turn that costs time, while nothing else is under way. */
  take(principal: string): Promise<void> {
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
  watch(principal: string, exchange: Pick<Exchange, 'onOver'>): void {
    this.#sum += 1;
    this.#underWay.set(principal, (this.#underWay.get(principal) ?? 0) + 1);
    exchange.onOver(() => {
      this.#sum -= 1;
      if (this.#sum === 0 && !this.#isScheduled) this.#isTaken = false;
      const left = (this.#underWay.get(principal) ?? 1) - 1;
      if (left > 0) this.#underWay.set(principal, left);
      else this.#underWay.delete(principal);
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
    let left = BATCH;
    for (const [principal, own] of this.#waiting) {
      const mustRest = own.length > 1 && this.#othersAreServed(principal);
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

  #othersAreServed(principal: string): boolean {
    return this.#underWay.size > (this.#underWay.has(principal) ? 1 : 0) || this.#waiting.size > 1;
  }
}
