import { afterTurn } from './after-turn.js';

/** Options of {@link TurnBudget}. */
export interface TurnBudgetOptions {
  /** Milliseconds that one connection may use in one turn of the event loop. Default 3. */
  readonly budgetMs?: number | undefined;
  /** Returns the milliseconds of a monotonic clock. Default `performance.now()`. */
  readonly now?: (() => number) | undefined;
  /** Runs the task after so many milliseconds; the result cancels it. Default `setTimeout`. */
  readonly later?: ((task: () => void, ms: number) => () => void) | undefined;
}

const BUDGET_MS = 3;
/** Milliseconds that a peer may use at once before its share counts. */
const BURST_MS = 50;
/** Most that counts for work that should take less than a budget, in ms: the system may have run another program meanwhile. */
const SMALL_WORK_MS = 6;
/** Other connections wait for the whole of a long message, so long messages count several times. */
const LONG_WORK_FACTOR = 8;

/**
 * Measures the time that one connection has used in this turn of the event loop, so that a peer that floods leaves time for others.
 * Ordinary traffic is not affected: messages are handled at once until the budget is used up. {@link limitUnsolicited} also
 * limits the time over many turns.
 */
export class TurnBudget {
  readonly #budgetMs: number;
  readonly #now: () => number;
  /** Milliseconds of work. Pauses are subtracted unless the next turn is awaited. */
  #used = 0;
  #lastEnd = 0;
  /** Start of the time that counts as a whole, including promise jobs, because the next turn is awaited. */
  #since: number | undefined;
  #depth = 0;
  #waiting: (() => void)[] = [];
  /** Cancels the next turn; undefined if none is scheduled. */
  #cancelTurn: (() => void) | undefined;
  readonly #later: (task: () => void, ms: number) => () => void;
  #unsolicited: UnsolicitedShare | undefined;
  /** Milliseconds of work that is not known to be requested or unsolicited yet: most of a message may still arrive. */
  #unsettled = 0;
  /** Responses to our requests, and other messages, of the current work. */
  #counts = { requested: 0, unsolicited: 0 };
  /** Estimated milliseconds of that work. */
  #estimate = 0;
  /** Cancels the end of a wait for the share. */
  #wake: (() => void) | undefined;

  constructor({ budgetMs = BUDGET_MS, now, later }: TurnBudgetOptions = {}) {
    this.#budgetMs = budgetMs;
    this.#now = now ?? (() => performance.now());
    this.#later = later ?? afterDelay;
  }

  /**
   * Limits unsolicited input of the peer to this share of the time, from 0.01 to 1, apart from a short burst. Beyond it,
   * nothing is handled or read for a while.
   */
  limitUnsolicited(share: number): void {
    this.#unsolicited = new UnsolicitedShare(share, this.#budgetMs);
  }

  /** Tells {@link limitUnsolicited} whether a message of the current work was requested, that is, a response. */
  settle(kind: 'requested' | 'unsolicited'): void {
    if (this.#unsolicited !== undefined) this.#counts[kind]++;
  }

  /** Returns whether work of about `estimateMs` should wait for the next turn. False if nothing was done in this one. */
  isSpent(estimateMs = 0): boolean {
    const now = this.#now();
    if (this.#mustWait(now)) return true;
    const used = this.#usedAt(now);
    return used >= this.#budgetMs || (used > 0 && used + estimateMs > this.#budgetMs);
  }

  /** Runs work of about `estimateMs`, and counts its time. */
  run(work: () => void, estimateMs = 0): void {
    this.#measure(work, estimateMs, true);
  }

  /** Runs work of about `estimateMs` that is not limited within a turn; it counts for {@link limitUnsolicited} only. */
  count(work: () => void, estimateMs: number): void {
    if (this.#unsolicited === undefined) work();
    else this.#measure(work, estimateMs, false);
  }

  #measure(work: () => void, estimateMs: number, isLimited: boolean): void {
    this.#estimate += estimateMs;
    if (this.#depth > 0) return work();
    const start = this.#now();
    if (isLimited) this.#used = this.#usedAt(start);
    this.#depth++;
    try {
      work();
    } finally {
      this.#depth--;
      const end = this.#now();
      if (this.#unsolicited === undefined) this.#estimate = 0;
      else this.#account(end - start, end);
      if (isLimited) {
        this.#used += end - start;
        this.#lastEnd = end;
        if (this.#used >= this.#budgetMs / 4) this.#awaitTurn(end);
      }
    }
  }

  /** Returns whether the share of {@link limitUnsolicited} is used up. Continue in {@link nextTurn}. */
  get isShareUsedUp(): boolean {
    return this.#unsolicited !== undefined && this.#mustWait(this.#now());
  }

  /** Runs the task in the next turn, with a new budget. */
  nextTurn(task: () => void): void {
    this.#waiting.push(task);
    this.#awaitTurn(this.#now());
  }

  /** Frees its resources. Waiting tasks do not run. */
  close(): void {
    this.#cancelTurn?.();
    this.#cancelTurn = undefined;
    this.#wake?.();
    this.#wake = undefined;
    this.#since = undefined;
    this.#waiting = [];
  }

  #account(ms: number, now: number): void {
    const { requested, unsolicited } = this.#counts;
    const isLong = this.#estimate > this.#budgetMs;
    this.#unsettled += isLong ? ms * LONG_WORK_FACTOR : Math.min(ms, SMALL_WORK_MS);
    if (requested + unsolicited === 0) return;
    if (unsolicited > 0)
      this.#unsolicited?.spend((this.#unsettled * unsolicited) / (requested + unsolicited), now);
    this.#unsettled = 0;
    this.#estimate = 0;
    this.#counts = { requested: 0, unsolicited: 0 };
  }

  #mustWait(now: number): boolean {
    return this.#wake !== undefined || (this.#unsolicited !== undefined && this.#unsolicited.waitMs(now) > 0);
  }

  #usedAt(now: number): number {
    if (this.#since !== undefined) return now - this.#since;
    return this.#depth > 0 ? this.#used : Math.max(0, this.#used - (now - this.#lastEnd));
  }

  #awaitTurn(now: number): void {
    if (this.#since !== undefined) return;
    this.#since = now - this.#used;
    this.#cancelTurn = afterTurn(() => {
      this.#cancelTurn = undefined;
      const ms = this.#unsolicited?.waitMs(this.#now()) ?? 0;
      if (ms === 0) return this.#newTurn();
      this.#wake = this.#later(() => {
        this.#wake = undefined;
        this.#newTurn();
      }, ms);
    });
  }

  #newTurn(): void {
    this.#since = undefined;
    this.#used = 0;
    for (const task of this.#waiting.splice(0)) task();
  }
}

function afterDelay(task: () => void, ms: number): () => void {
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
}

/** Longest wait, so that a peer that stops flooding is read again soon. */
const MAX_WAIT_MS = 2000;

/** A leaky bucket of time: unsolicited input fills it, and it drains by `share` of the time that passes. */
class UnsolicitedShare {
  /** Share of the time for unsolicited input, from 0.01 to 1. */
  readonly #share: number;
  /** Milliseconds of work that are possible after a wait, so that a peer does not wait for each message. */
  readonly #sliceMs: number;
  #level = 0;
  #levelAt = 0;

  constructor(share: number, sliceMs: number) {
    this.#share = share;
    this.#sliceMs = sliceMs;
  }

  /** Adds milliseconds that were used until `now`. */
  spend(ms: number, now: number): void {
    const most = BURST_MS - this.#sliceMs + MAX_WAIT_MS * this.#share;
    this.#level = Math.min(most, this.#levelNow(now) + ms);
    this.#levelAt = now;
  }

  /** Returns how many milliseconds to wait from `now` on. */
  waitMs(now: number): number {
    const level = this.#levelNow(now);
    return level <= BURST_MS ? 0 : (level - BURST_MS + this.#sliceMs) / this.#share;
  }

  #levelNow(now: number): number {
    return Math.max(0, this.#level - (now - this.#levelAt) * this.#share);
  }
}
