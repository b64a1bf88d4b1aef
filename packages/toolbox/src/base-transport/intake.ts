import { Fifo } from './fifo.js';
import type { Pausable } from './paced-source.js';
import type { TurnBudget } from './turn-budget.js';

/** A queue of arrived items. They are handled at once, or in later turns when the budget of the current one is used up. */
export class Intake<T> {
  readonly #budget: TurnBudget;
  readonly #take: (item: T) => void;
  readonly #estimateMs: (item: T) => number;
  readonly #queue = new Fifo<T>();
  #isScheduled = false;
  #isStopped = false;
  readonly #ready: (() => void)[] = [];

  /**
   * @param take Handles one item; must not throw.
   * @param estimateMs Returns the approximate milliseconds that an item takes; a large one waits for a turn without other work. Default 0.
   */
  constructor(budget: TurnBudget, take: (item: T) => void, estimateMs: (item: T) => number = () => 0) {
    this.#budget = budget;
    this.#take = take;
    this.#estimateMs = estimateMs;
  }

  /** Adds an item. */
  push(item: T): void {
    if (this.#isStopped) return;
    const estimate = this.#estimateMs(item);
    if (this.#queue.isEmpty && !this.#budget.isSpent(estimate))
      return this.#budget.run(() => this.#take(item), estimate);
    this.#queue.push(item);
    this.#schedule();
  }

  /** Runs `handle`, which splits bytes of the source into items, and pauses the source while the queue is {@link busy}. */
  read(source: Pausable, handle: () => void): void {
    if (this.#isStopped) return handle();
    this.#budget.run(handle);
    if (!this.busy) return;
    source.pause();
    this.whenReady(() => source.resume());
  }

  /** Returns whether to stop reading the wire for now, until {@link whenReady}. */
  get busy(): boolean {
    return !this.#isStopped && (!this.#queue.isEmpty || this.#budget.isSpent());
  }

  /** Runs the task when the queue is empty and there is a new budget. */
  whenReady(task: () => void): void {
    if (this.#isStopped) return task();
    this.#ready.push(task);
    this.#schedule();
  }

  /** Handles all items at once, because the wire has ended. */
  flush(): void {
    while (!this.#queue.isEmpty) this.#takeFirst();
  }

  /** Drops all items, and all later ones. */
  stop(): void {
    this.#isStopped = true;
    this.#isScheduled = false;
    this.#queue.clear();
    for (const task of this.#ready.splice(0)) task();
  }

  #takeFirst(): void {
    const item = this.#queue.shift();
    if (item !== undefined) this.#budget.run(() => this.#take(item), this.#estimateMs(item));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#budget.nextTurn(() => this.#drain());
  }

  #drain(): void {
    this.#isScheduled = false;
    // At least one, however large it is.
    for (let first = true; !this.#queue.isEmpty; first = false) {
      const item = this.#queue.first;
      if (!first && item !== undefined && this.#budget.isSpent(this.#estimateMs(item)))
        return this.#schedule();
      this.#takeFirst();
    }
    if (this.#ready.length === 0) return;
    if (this.#budget.isSpent()) return this.#schedule();
    for (const task of this.#ready.splice(0)) task();
  }
}
