import { Turns } from './after-turn.js';

export interface TurnBudgetOptions {
  /** Milliseconds of one turn of the event loop that one connection may take. Default 3. */
  readonly budgetMs?: number | undefined;
  /** Milliseconds of a clock that never goes back. Default `performance.now()`. */
  readonly now?: (() => number) | undefined;
  /** Runs the task after so many milliseconds; the result takes it back. Default `setTimeout`. */
  readonly later?: ((task: () => void, ms: number) => () => void) | undefined;
}

const BUDGET_MS = 3;
/** What a peer may use at once before its share counts. */
const BURST_MS = 50;
/** What counts at most for a piece of work that should take less than a budget: the system may have run another program. */
const SMALL_WORK_MS = 6;
/** Others wait for the whole of a long message: such have to be rare, or more than a few of their calls meet one. */
const LONG_WORK_FACTOR = 8;

/**
 * How long one connection has worked in this turn of the event loop, so that a peer that floods leaves time for all
 * others. Ordinary traffic never meets it: no timer and no turn stands between a message and its handler until the
 * budget is used up. A host of many servers adds {@link limitUnasked}, which also bounds the time over many turns.
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
  readonly #later: (task: () => void, ms: number) => () => void;
  #unasked: UnaskedShare | undefined;
  /** Milliseconds of work of which is not known yet whether we asked for it: most of a message may be still to come. */
  #unsettled = 0;
  /** Messages of the current work that we asked for, and others. */
  #counts = { asked: 0, unasked: 0 };
  /** What that work should take. */
  #estimate = 0;
  /** Takes back the end of a wait for the share. */
  #wake: (() => void) | undefined;

  constructor({ budgetMs = BUDGET_MS, now, later }: TurnBudgetOptions = {}) {
    this.#budgetMs = budgetMs;
    this.#now = now ?? (() => performance.now());
    this.#later = later ?? afterDelay;
  }

  /**
   * From now on, what the peer sends unasked takes at most this part of the time, apart from a short burst: nothing more
   * is handled, and read, until it has waited long enough. `share` is from 0.01 to 1.
   */
  limitUnasked(share: number): void {
    this.#unasked = createUnaskedShare({ share, burstMs: BURST_MS, sliceMs: this.#budgetMs });
  }

  /** For {@link limitUnasked}: a message of the work that is being done was, or was not, one that we asked for. */
  settle(kind: 'asked' | 'unasked'): void {
    if (this.#unasked !== undefined) this.#counts[kind]++;
  }

  /** Whether work of about `estimateMs` should wait for the next turn. Never before anything was done in this one. */
  isSpent(estimateMs = 0): boolean {
    const now = this.#now();
    if (this.#mustWait(now)) return true;
    const used = this.#usedAt(now);
    return used >= this.#budgetMs || (used > 0 && used + estimateMs > this.#budgetMs);
  }

  /** Does the work and counts its time; it should take about `estimateMs`. */
  run(work: () => void, estimateMs = 0): void {
    this.#estimate += estimateMs;
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
      if (this.#unasked === undefined) this.#estimate = 0;
      else this.#account(end - start, end);
      if (this.#used >= this.#budgetMs / 4) this.#awaitTurn(end);
    }
  }

  /** Does work of about `estimateMs` that nothing holds back within a turn: it counts for {@link limitUnasked} alone. */
  count(work: () => void, estimateMs: number): void {
    if (this.#unasked === undefined || this.#depth > 0) return work();
    this.#estimate += estimateMs;
    const start = this.#now();
    this.#depth++;
    try {
      work();
    } finally {
      this.#depth--;
      const end = this.#now();
      this.#account(end - start, end);
    }
  }

  /** The share of {@link limitUnasked} is used up: {@link nextTurn} says when to go on. */
  get isShareUsedUp(): boolean {
    return this.#unasked !== undefined && this.#mustWait(this.#now());
  }

  /** Runs the task in the next turn, with a new budget. */
  nextTurn(task: () => void): void {
    this.#waiting.push(task);
    this.#awaitTurn(this.#now());
  }

  /** Frees what it holds; nothing that waits for a turn runs any more. */
  close(): void {
    this.#turns.close();
    this.#wake?.();
    this.#wake = undefined;
    this.#since = undefined;
    this.#waiting = [];
  }

  #account(ms: number, now: number): void {
    const { asked, unasked } = this.#counts;
    const isLong = this.#estimate > this.#budgetMs;
    this.#unsettled += isLong ? ms * LONG_WORK_FACTOR : Math.min(ms, SMALL_WORK_MS);
    if (asked + unasked === 0) return;
    if (unasked > 0) this.#unasked?.spend((this.#unsettled * unasked) / (asked + unasked), now);
    this.#unsettled = 0;
    this.#estimate = 0;
    this.#counts = { asked: 0, unasked: 0 };
  }

  #mustWait(now: number): boolean {
    return this.#wake !== undefined || (this.#unasked !== undefined && this.#unasked.waitMs(now) > 0);
  }

  #usedAt(now: number): number {
    if (this.#since !== undefined) return now - this.#since;
    return this.#depth > 0 ? this.#used : Math.max(0, this.#used - (now - this.#lastEnd));
  }

  #awaitTurn(now: number): void {
    if (this.#since !== undefined) return;
    this.#since = now - this.#used;
    this.#turns.after(() => {
      const ms = this.#unasked?.waitMs(this.#now()) ?? 0;
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

interface UnaskedShareOptions {
  /** Part of the time that what nobody asked for may take, from 0.01 to 1. */
  readonly share: number;
  /** Milliseconds that may be used at once, before a peer has to wait at all. */
  readonly burstMs: number;
  /** Milliseconds of work for which there is room after a wait, so that a peer does not wait for each message. */
  readonly sliceMs: number;
}

/** No wait is longer, so that a peer which stops to flood is heard again soon. */
const MAX_WAIT_MS = 2000;

/** A bucket of time: what a peer sends unasked fills it, and it empties by `share` of the time that passes. */
interface UnaskedShare {
  /** So many milliseconds were used until `now`. */
  spend(ms: number, now: number): void;
  /** Milliseconds from `now` on for which nothing more should be done; 0: there is room. */
  waitMs(now: number): number;
}

function createUnaskedShare({ share, burstMs, sliceMs }: UnaskedShareOptions): UnaskedShare {
  const most = burstMs - sliceMs + MAX_WAIT_MS * share;
  let level = 0;
  let levelAt = 0;
  const levelNow = (now: number): number => Math.max(0, level - (now - levelAt) * share);
  return {
    spend(ms, now) {
      level = Math.min(most, levelNow(now) + ms);
      levelAt = now;
    },
    waitMs(now) {
      const found = levelNow(now);
      return found <= burstMs ? 0 : (found - burstMs + sliceMs) / share;
    },
  };
}
