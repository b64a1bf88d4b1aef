/**
 * Serves requests by turns of persons: one request in each turn of the event loop, of the persons who wait one after the other. Someone
 * who sends hundreds at once waits for their own requests, and anyone else for a few turns.
 */
export class Turns {
  /** What waits, by person. The first person is the next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isTaken = false;

  /** Resolves when it is the turn of a request of this person. */
  take(person: string): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      setImmediate(this.#next);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const own = this.#waiting.get(person);
      if (own === undefined) this.#waiting.set(person, [resolve]);
      else own.push(resolve);
    });
  }

  readonly #next = (): void => {
    const [first] = this.#waiting;
    this.#isTaken = first !== undefined;
    if (first === undefined) return;
    const [person, own] = first;
    const begin = own.shift();
    this.#waiting.delete(person);
    if (own.length > 0) this.#waiting.set(person, own);
    setImmediate(this.#next);
    begin?.();
  };
}
