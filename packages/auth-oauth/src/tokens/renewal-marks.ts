import type { Clock } from '@mcp-fittings/client-core';
import { isMarkOfDeadProcess, makeProcessMark } from '@mcp-fittings/store-file/toolkit';

/**
 * A refresh token that rotates is gone once it was sent, whether the answer arrives or not. So the record is marked before
 * that, and whoever finds the mark of somebody else knows more than the lock can tell: its holder was suspended, or has
 * lost sight of the store, and may come back with the new token. Using the old one again would log everybody out.
 */
export interface RenewalMarks {
  next(): Promise<string>;
  /**
   * Whether it is too early to take the one who left this mark for gone. A process of this machine that has ended is gone
   * at once.
   */
  isOpen(mark: string | undefined): Promise<boolean>;
  /** A look at a mark while its holder still has the lock: counts as watching, up to the time that a lock goes stale in. */
  watch(mark: string | undefined): void;
}

/** Between two looks at a mark. */
export const LOOK_MS = 250;
/** So long somebody may be suspended. */
const PATIENCE_MS = 15_000;
/** A lock of a holder that is gone lasts so long; a holder that is alive may have it for longer. */
const LOCK_MS = 10_000;

export function createRenewalMarks(clock: Clock): RenewalMarks {
  let own: string | undefined;
  let seen: { readonly mark: string; readonly at: number; readonly ms: number } | undefined;

  const look = (mark: string, atMost: number): number => {
    const at = clock.now();
    const before = seen?.mark === mark ? seen : { at, ms: 0 };
    // Only what was watched counts: not the sleep of this machine, nor an outage of the store.
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
      return look(mark, Infinity) < PATIENCE_MS && !(await isMarkOfDeadProcess(mark));
    },
    watch(mark) {
      if (mark !== undefined && mark !== own) look(mark, LOCK_MS);
    },
  };
}
