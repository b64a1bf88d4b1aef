import type { Clock } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';
import type { LockFile } from './lock-file.js';

export interface HeldLock {
  /** Aborted when another process has taken the lock. */
  readonly signal: AbortSignal;
  /** Looks at the disk: false when another process has taken the lock. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Signs of life within the time after which others take the lock; more than one may fail. */
const BEATS_PER_PERIOD = 4;
const FAILURES_ALLOWED = 2;

/** Keeps a lock that was just taken, by regular signs of life, until it is released or lost. */
export function holdLock(file: LockFile, staleMs: number, clock: Clock): HeldLock {
  const lost = new AbortController();
  let released = false;
  let failures = 0;
  let timer: Disposable | undefined;

  const lose = (): void => {
    if (released || lost.signal.aborted) return;
    lost.abort(storeError('STORE_LOCK_LOST', 'Another process has taken the lock.'));
  };

  const beat = async (): Promise<void> => {
    try {
      if (!(await file.beat(clock.now()))) return lose();
      failures = 0;
    } catch {
      // A disk may fail now and then. After too long, other processes consider this holder dead.
      if (++failures > FAILURES_ALLOWED) return lose();
    }
    if (!released) plan();
  };
  const plan = (): void => {
    timer = clock.schedule(() => void beat(), staleMs / BEATS_PER_PERIOD, { unref: true });
  };
  // The rename of the file was the first sign of life.
  plan();

  return {
    signal: lost.signal,
    async isHeld() {
      if (!lost.signal.aborted && !(await file.held())) lose();
      return !lost.signal.aborted;
    },
    async release() {
      released = true;
      timer?.[Symbol.dispose]();
      // If the disk fails, the lock becomes stale; work that has succeeded must not fail because of that.
      await file.release().catch(() => undefined);
    },
  };
}
