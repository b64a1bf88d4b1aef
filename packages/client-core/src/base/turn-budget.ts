import { Turns } from './after-turn.js';

export interface TurnBudgetOptions {
  /** Milliseconds of one turn of the event loop that one connection may take. Default 3. */
  readonly budgetMs?: number | undefined;
  /** Milliseconds of a clock that never goes back. Default `performance.now()`. */
  readonly now?: (() => number) | undefined;
}

const BUDGET_MS = 3;

/**
 * How long one connection has worked in this turn of the event loop, so that a peer that floods leaves time for all
 * others. Ordinary traffic never meets it: no timer and no turn stands between a message and its handler until the
 * budget is used up.
 */
export class TurnBudget {
  readonly #budgetMs: number;
  readonly #now: () => number;
  /** Milliseconds of work; while no turn is awaited, pauses are taken off again. */
  #used = 0;
  #lastEnd = 0;
  /** Since when all time counts, promise jobs included, because the next turn is awaited. */
  #since: number | undefined;
  #depth = 0;
  #waiting: (() => void)[] = [];
  readonly #turns = new Turns();

  constructor({ budgetMs = BUDGET_MS, now = () => performance.now() }: TurnBudgetOptions = {}) {
    this.#budgetMs = budgetMs;
    this.#now = now;
  }

  /** Whether work of about `estimateMs` should wait for the next turn. Never before anything was done in this one. */
  isSpent(estimateMs = 0): boolean {
    const used = this.#usedNow();
    return used >= this.#budgetMs || (used > 0 && used + estimateMs > this.#budgetMs);
  }

  /** Does the work and counts its time. */
  run(work: () => void): void {
    if (this.#depth > 0) return work();
    const start = this.#now();
    this.#used = this.#usedAt(start);
    this.#depth++;
    try {
      work();
    } finally {
      this.#depth--;
      const end = this.#now();
      this.#used += end - start;
      this.#lastEnd = end;
      if (this.#used >= this.#budgetMs / 4) this.#awaitTurn(end);
    }
  }

  /** Runs the task in the next turn, with a new budget. */
  nextTurn(task: () => void): void {
    this.#waiting.push(task);
    this.#awaitTurn(this.#now());
  }

  /** Frees what it holds; nothing that waits for a turn runs any more. */
  close(): void {
    this.#turns.close();
    this.#since = undefined;
    this.#waiting = [];
  }

  #usedNow(): number {
    return this.#usedAt(this.#now());
  }

  #usedAt(now: number): number {
    if (this.#since !== undefined) return now - this.#since;
    return this.#depth > 0 ? this.#used : Math.max(0, this.#used - (now - this.#lastEnd));
  }

  #awaitTurn(now: number): void {
    if (this.#since !== undefined) return;
    this.#since = now - this.#used;
    this.#turns.after(() => {
      this.#since = undefined;
      this.#used = 0;
      for (const task of this.#waiting.splice(0)) task();
    });
  }
}
