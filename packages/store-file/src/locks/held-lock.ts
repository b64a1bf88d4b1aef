import type { Clock } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';
import type { LockToken } from './lock-token.js';

export interface HeldLock {
  /** Aborted when the lock was taken over. */
  readonly signal: AbortSignal;
  /** Looks on the disk: false when somebody else has taken the lock over. */
  stands(): Promise<boolean>;
  release(): Promise<void>;
}

/** Signs of life in each period after which others take over; more than one may fail. */
const BEATS_PER_PERIOD = 4;
const FAILURES_ALLOWED = 2;

/** Keeps a lock that was just taken, by signs of life, until it is released or lost. */
export function holdToken(token: LockToken, staleMs: number, clock: Clock): HeldLock {
  const lost = new AbortController();
  let released = false;
  let failures = 0;
  let timer: Disposable | undefined;

  const lose = (): void => {
    if (released || lost.signal.aborted) return;
    lost.abort(storeError('STORE_LOCK_LOST', 'The lock was taken over by another process.'));
  };

  const beat = async (): Promise<void> => {
    try {
      if (!(await token.beat(clock.now()))) return lose();
      failures = 0;
    } catch {
      // A disk that does not answer now and then; for too long, and others take this holder for dead.
      if (++failures > FAILURES_ALLOWED) return lose();
    }
    if (!released) plan();
  };
  const plan = (): void => {
    timer = clock.schedule(() => void beat(), staleMs / BEATS_PER_PERIOD, { unref: true });
  };
  // To those who wait, the new name of the token is the first sign.
  plan();

  return {
    signal: lost.signal,
    async stands() {
      if (!lost.signal.aborted && !(await token.held())) lose();
      return !lost.signal.aborted;
    },
    async release() {
      released = true;
      timer?.[Symbol.dispose]();
      // Where the disk refuses, the lock goes stale; that is no reason to fail work that has succeeded.
      await token.release().catch(() => undefined);
    },
  };
}
