import type { Clock } from '@mcp-fittings/client-core';
import { isMarkOfDeadProcess, makeProcessMark } from '@mcp-fittings/client-core/files';

/**
 * Marks that tell whether another process is using the refresh token. A rotating refresh token is used up once it was sent,
 * whether the response arrives or not, so the record is marked before that. The mark of another process says more than the
 * lock: its holder was suspended, or has lost the connection to the store, and may come back with the new token. Using the
 * old token again would end the sign-in for all of them.
 */
export interface RenewalMarks {
  /** Resolves with a new mark of this process. */
  next(): Promise<string>;
  /**
   * Resolves with whether the process that left this mark may still come back. A process of this machine that has exited does
   * not.
   */
  isOpen(mark: string | undefined): Promise<boolean>;
  /** Watches a mark while its holder has the lock; counts up to the time after which a lock is stale. */
  watch(mark: string | undefined): void;
}

/** Time between two looks at a mark. */
export const LOOK_MS = 250;
/** After this time a suspended process is given up. */
const SUSPENDED_MS = 15_000;
/** After this time the lock of a process that has exited is stale; a running process may hold it longer. */
const LOCK_MS = 10_000;

export function createRenewalMarks(clock: Clock): RenewalMarks {
  let own: string | undefined;
  let seen: { readonly mark: string; readonly at: number; readonly ms: number } | undefined;

  const look = (mark: string, atMost: number): number => {
    const at = clock.now();
    const before = seen?.mark === mark ? seen : { at, ms: 0 };
    // Only watched time counts: not the sleep of this machine, nor an outage of the store.
    const ms = before.ms + Math.max(0, Math.min(at - before.at, 2 * LOOK_MS));
    seen = { mark, at, ms: Math.max(before.ms, Math.min(ms, atMost)) };
    return seen.ms;
  };

  return {
    async next() {
      own = await makeProcessMark();
      return own;
    },
    async isOpen(mark) {
      if (mark === undefined || mark === own) return false;
      return look(mark, Infinity) < SUSPENDED_MS && !(await isMarkOfDeadProcess(mark));
    },
    watch(mark) {
      if (mark !== undefined && mark !== own) look(mark, LOCK_MS);
    },
  };
}
