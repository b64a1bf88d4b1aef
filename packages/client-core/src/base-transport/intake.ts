import type { TurnBudget } from './turn-budget.js';

/** What arrived and is not handled yet: handled at once, or in later turns once the budget of this one is used up. */
export interface Intake<T> {
  push(item: T): void;
  /** Counts other work of the same wire, such as cutting bytes into messages. */
  work(task: () => void): void;
  /** The wire should not be read for now: see {@link whenReady}. */
  readonly busy: boolean;
  /** Runs the task once nothing waits and there is a new budget. */
  whenReady(task: () => void): void;
  /** Handles at once what waits: the wire has ended. */
  flush(): void;
  /** Drops what waits, and all that comes. */
  stop(): void;
}

export interface IntakeOptions<T> {
  readonly budget: TurnBudget;
  /** Handles one item; must not throw. */
  readonly take: (item: T) => void;
  /** Milliseconds that an item will take, about; a large one waits for a turn in which nothing was done. Default 0. */
  readonly estimateMs?: ((item: T) => number) | undefined;
}

export function createIntake<T>(options: IntakeOptions<T>): Intake<T> {
  const { budget, take, estimateMs = () => 0 } = options;
  let queue: T[] = [];
  let next = 0;
  let scheduled = false;
  let stopped = false;
  let ready: (() => void)[] = [];

  const takeFirst = (): void => {
    const [item] = queue.slice(next, next + 1);
    next++;
    if (item !== undefined) budget.run(() => take(item), estimateMs(item));
  };
  const isEmpty = (): boolean => next >= queue.length;

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    budget.nextTurn(drain);
  };
  const drain = (): void => {
    scheduled = false;
    // At least one, however large it is.
    for (let first = true; !isEmpty(); first = false) {
      const item = queue[next];
      if (!first && item !== undefined && budget.isSpent(estimateMs(item))) return schedule();
      takeFirst();
    }
    queue = [];
    next = 0;
    if (ready.length === 0) return;
    if (budget.isSpent()) return schedule();
    for (const task of ready.splice(0)) task();
  };

  return {
    push(item) {
      if (stopped) return;
      const estimate = estimateMs(item);
      if (isEmpty() && !budget.isSpent(estimate)) return budget.run(() => take(item), estimate);
      queue.push(item);
      schedule();
    },
    work(task) {
      if (stopped) task();
      else budget.run(task);
    },
    get busy() {
      return !stopped && (!isEmpty() || budget.isSpent());
    },
    whenReady(task) {
      if (stopped) return task();
      ready.push(task);
      schedule();
    },
    flush() {
      while (!isEmpty()) takeFirst();
      queue = [];
      next = 0;
    },
    stop() {
      stopped = true;
      scheduled = false;
      queue = [];
      next = 0;
      for (const task of ready.splice(0)) task();
      ready = [];
    },
  };
}

/** What hands on bytes until it is told to stop: a socket, a body. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export interface PacedSource {
  /** Handles what came in at once, and pauses the source when its server has used up its share of the time. */
  read(bytes: number, handle: () => void): void;
}

/** Bytes that are parsed and handled in a millisecond, about. */
const BYTES_PER_MS = 200_000;

export function createPacedSource(budget: TurnBudget, source: Pausable): PacedSource {
  let isPaused = false;
  return {
    read(bytes, handle) {
      budget.count(handle, bytes / BYTES_PER_MS);
      if (isPaused || !budget.isShareUsedUp) return;
      isPaused = true;
      source.pause();
      budget.nextTurn(() => {
        isPaused = false;
        source.resume();
      });
    },
  };
}
