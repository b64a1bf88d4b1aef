/** Turns of the event loop that are left to what is under way, after a request of someone who has more waiting. */
const REST = 8;

/**
 * Serves requests by turns of persons: at most one begins in each turn of the event loop, of the people who wait one after the other.
 * Someone who sends hundreds at once waits for their own requests, and anyone else for a few turns. A turn without a request takes
 * microseconds, so that the rest between two requests of such a person costs little, and the calls of others get ahead in it.
 */
export class Turns {
  /** Requests that wait, by person. The first person is the next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isTaken = false;
  #rest = 0;

  /** Resolves when it is the turn of a request of this person. */
  take(principal: string): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      setImmediate(this.#next);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const own = this.#waiting.get(principal);
      if (own === undefined) this.#waiting.set(principal, [resolve]);
      else own.push(resolve);
    });
  }

  readonly #next = (): void => {
    this.#isTaken = this.#waiting.size > 0;
    if (!this.#isTaken) return;
    setImmediate(this.#next);
    this.#rest -= 1;
    for (const [principal, own] of this.#waiting) {
      if (this.#rest > 0 && own.length > 1) continue;
      const begin = own.shift();
      this.#waiting.delete(principal);
      if (own.length > 0) {
        this.#waiting.set(principal, own);
        this.#rest = REST;
      }
      begin?.();
      return;
    }
  };
}
