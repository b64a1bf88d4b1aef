import type { Clock } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';
import type { LockFile } from './lock-file.js';

/** Signs of life within the time after which others take the lock; more than one may fail. */
const BEATS_PER_PERIOD = 4;
const FAILURES_ALLOWED = 2;

/** Keeps a lock that was just taken, by regular signs of life, until it is released or lost. */
export class HeldLock {
  readonly #file: LockFile;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #lost = new AbortController();
  #released = false;
  #failures = 0;
  #timer: Disposable | undefined;

  constructor(file: LockFile, staleMs: number, clock: Clock) {
    this.#file = file;
    this.#intervalMs = staleMs / BEATS_PER_PERIOD;
    this.#clock = clock;
    // The rename of the file was the first sign of life.
    this.#plan();
  }

  /** Aborted when another process has taken the lock. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Looks at the disk: false when another process has taken the lock. */
  async isHeld(): Promise<boolean> {
    const { signal } = this.#lost;
    if (!signal.aborted && !(await this.#file.held())) this.#lose();
    return !signal.aborted;
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#timer?.[Symbol.dispose]();
    // If the disk fails, the lock becomes stale; work that has succeeded must not fail because of that.
    await this.#file.release().catch(() => undefined);
  }

  #plan(): void {
    this.#timer = this.#clock.schedule(() => void this.#beat(), this.#intervalMs, { unref: true });
  }

  async #beat(): Promise<void> {
    try {
      if (!(await this.#file.beat(this.#clock.now()))) return this.#lose();
      this.#failures = 0;
    } catch {
      // A disk may fail now and then. After too long, other processes consider this holder dead.
      if (++this.#failures > FAILURES_ALLOWED) return this.#lose();
    }
    if (!this.#released) this.#plan();
  }

  #lose(): void {
    if (this.#released || this.#lost.signal.aborted) return;
    this.#lost.abort(storeError('STORE_LOCK_LOST', 'Another process has taken the lock.'));
  }
}
