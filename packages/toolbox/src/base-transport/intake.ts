import type { TurnBudget } from './turn-budget.js';

/** A queue of arrived items. They are handled at once, or in later turns when the budget of the current one is used up. */
export interface Intake<T> {
  /** Adds an item. */
  push(item: T): void;
  /** Runs other work of the same wire, such as splitting bytes into messages, and counts its time. */
  work(task: () => void): void;
  /** Whether to stop reading the wire for now, until {@link whenReady}. */
  readonly busy: boolean;
  /** Runs the task when the queue is empty and there is a new budget. */
  whenReady(task: () => void): void;
  /** Handles all items at once, because the wire has ended. */
  flush(): void;
  /** Drops all items, and all later ones. */
  stop(): void;
}

export interface IntakeOptions<T> {
  readonly budget: TurnBudget;
  /** Handles one item; must not throw. */
  readonly take: (item: T) => void;
  /** Returns the approximate milliseconds that an item takes; a large one waits for a turn without other work. Default 0. */
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
    const item = queue[next];
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

/** A source of bytes that can be paused: a socket, the body of a response. */
export interface Pausable {
  /** Stops delivering bytes. */
  pause(): void;
  /** Continues to deliver bytes. */
  resume(): void;
}

/** A source of bytes that is paused while its server has used up its share of time, see {@link TransportController.paced}. */
export interface PacedSource {
  /** Runs `handle` at once for so many bytes, and pauses the source if the share is used up. */
  read(bytes: number, handle: () => void): void;
}

/** Bytes that are parsed and handled in a millisecond, approximately. */
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
