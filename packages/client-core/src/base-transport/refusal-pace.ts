import { afterTurn } from './after-turn.js';

/**
 * Spaces out the rejections of a wire that takes nothing: the first of a turn of the event loop happens at once, further
 * ones in the next turn. A caller that sends again without a pause would otherwise keep the event loop in promise jobs
 * for ever, and the end of the wire, which needs a turn, would never be noticed.
 */
export class RefusalPace {
  /** What waits for the next turn. Undefined: nothing was refused in this turn. */
  #waiting: (() => void)[] | undefined;

  run(reject: () => void): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(reject);
      return;
    }
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    afterTurn(() => {
      this.#waiting = undefined;
      for (const task of waiting) task();
    });
    reject();
  }
}
