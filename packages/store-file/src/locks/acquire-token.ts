import { backoffDelay, type Clock } from '@mcp-fittings/client-core/auth';
import { sleep } from '@mcp-fittings/client-core/timing';
import { busyError } from './keyed-queue.js';
import { createLockToken, type LockToken, type SeenHolder } from './lock-token.js';
import { identifyProcess, isDead } from './process-identity.js';

export interface AcquireOptions {
  readonly directory: string;
  readonly name: string;
  readonly staleMs: number;
  readonly waitMs: number;
  /** On the clock; then STORE_BUSY. */
  readonly deadline: number;
  readonly clock: Clock;
}

const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;
/** One gap between two looks counts for no more, so that a machine that slept does not take every lock for stale. */
const LONGEST_GAP_MS = 4 * LAST_POLL_MS;

/** Waits until the lock is free or its holder is dead or silent for too long, and takes it. */
export async function acquireToken(options: AcquireOptions): Promise<LockToken> {
  const { directory, name, staleMs, waitMs, deadline, clock } = options;
  const own = await identifyProcess();
  const token = createLockToken(directory, name, own);
  const silence = createSilenceMeter(clock);

  let last = clock.now();
  let waited = 0;

  for (let attempt = 0; ; attempt++) {
    if (await token.take()) return token;
    const holder = await token.holder();
    if (holder === undefined) {
      // Not there yet, or on its way from one name to the next.
      await token.create();
      if (attempt === 0) continue;
    } else if (silence.of(holder) >= staleMs || (await isDead(holder.process, own))) {
      if (await token.take(holder)) return token;
    }
    waited += Math.max(0, Math.min(clock.now() - last, LONGEST_GAP_MS));
    last = clock.now();
    // The deadline alone would not come while a clock that was set back catches up.
    if (last >= deadline || waited >= waitMs) throw busyError(waitMs, await token.foreign());
    const pause = { initialMs: FIRST_POLL_MS, maxMs: LAST_POLL_MS, factor: 1.5, jitter: 0.5 };
    await sleep(backoffDelay(Math.min(attempt, 20), pause), { clock });
  }
}

/**
 * How long a holder has given no sign of life, as seen by this process alone: clocks of two machines may differ, and
 * no clock says how long this machine slept.
 */
function createSilenceMeter(clock: Clock): { of(holder: SeenHolder): number } {
  let last: { holder: SeenHolder; at: number; silent: number } | undefined;
  return {
    of(holder) {
      const at = clock.now();
      const same = last?.holder.file === holder.file && last.holder.lastBeat === holder.lastBeat;
      const gap = Math.max(0, Math.min(at - (last?.at ?? at), LONGEST_GAP_MS));
      const silent = same ? (last?.silent ?? 0) + gap : 0;
      last = { holder, at, silent };
      return silent;
    },
  };
}
