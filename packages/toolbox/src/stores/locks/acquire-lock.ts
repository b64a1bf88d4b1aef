import type { Clock } from '@mcp-fittings/client-core';
import { identifyProcess, isDeadProcess } from '../../files/process-identity.js';
import { backoffDelay, sleep } from '../../timing/waits.js';
import { storeError } from '../store-error.js';
import { busyError } from './keyed-mutex.js';
import { LockFile, type LockHolder } from './lock-file.js';

export interface AcquireLockOptions {
  readonly directory: string;
  readonly name: string;
  readonly staleMs: number;
  readonly waitMs: number;
  /** Time on the clock at which waiting ends with `STORE_BUSY`, in milliseconds. */
  readonly deadline: number;
  readonly clock: Clock;
}

const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;
/** Longest gap between two looks that counts, so that a machine that was asleep does not treat every lock as stale. */
const LONGEST_GAP_MS = 4 * LAST_POLL_MS;

/** A single look can miss a file that is being renamed. */
const BLOCKED_LOOKS = 5;

function blockedError(path: string): Error {
  return storeError('STORE_UNAVAILABLE', `${path} is not part of the lock and blocks it.`, {
    hint: `Remove ${path}.`,
    details: { path },
  });
}

/** Waits until the lock is free, or its holder is dead or silent for too long, and takes it. */
export async function acquireLock(options: AcquireLockOptions): Promise<LockFile> {
  const { directory, name, staleMs, waitMs, deadline, clock } = options;
  const own = await identifyProcess();
  const lock = new LockFile(directory, name, own);
  const silence = new SilenceMeter(clock);

  let last = clock.now();
  let waited = 0;
  /** Looks in a row that have found a file of someone else and none of the lock. */
  let blocked = 0;

  for (let attempt = 0; ; attempt++) {
    if (await lock.take()) return lock;
    const holder = await lock.holder();
    if (holder === undefined) {
      // It does not exist yet, or is being renamed right now.
      await lock.create();
      const foreign = await lock.foreign();
      blocked = foreign === undefined ? 0 : blocked + 1;
      if (foreign !== undefined && blocked === BLOCKED_LOOKS) throw blockedError(foreign);
      if (attempt === 0) continue;
    } else if (silence.of(holder) >= staleMs || (await isDeadProcess(holder.process, own))) {
      if (await lock.take(holder)) return lock;
    }
    waited += Math.max(0, Math.min(clock.now() - last, LONGEST_GAP_MS));
    last = clock.now();
    // A clock that was set back would postpone the deadline, so the time waited counts as well.
    if (last >= deadline || waited >= waitMs) throw busyError(waitMs);
    const pause = { initialMs: FIRST_POLL_MS, maxMs: LAST_POLL_MS, factor: 1.5, jitter: 0.5 };
    await sleep(backoffDelay(attempt, pause), { clock });
  }
}

/**
 * Measures how long a holder has shown no sign of life, on the clock of this process alone: clocks of two machines may
 * differ, and no clock says how long this machine was asleep.
 */
class SilenceMeter {
  readonly #clock: Clock;
  #last: { readonly holder: LockHolder; readonly at: number; readonly silent: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(holder: LockHolder): number {
    const at = this.#clock.now();
    const last = this.#last;
    const same = last?.holder.file === holder.file && last.holder.lastBeat === holder.lastBeat;
    const gap = Math.max(0, Math.min(at - (last?.at ?? at), LONGEST_GAP_MS));
    const silent = same ? (last?.silent ?? 0) + gap : 0;
    this.#last = { holder, at, silent };
    return silent;
  }
}
