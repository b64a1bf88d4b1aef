import { randomUUID } from 'node:crypto';
import type { Clock } from '@mcp-fittings/client-core';

/**
 * A refresh token that rotates is gone once it was sent, whether the answer arrives or not. So the record is marked before
 * that, and whoever finds the mark of somebody else knows more than the lock can tell: its holder was suspended, or has
 * lost sight of the store, and may come back with the new token. Using the old one again would log everybody out.
 */
export interface RenewalMarks {
  next(): string;
  /** Whether it is too early to take the one who left this mark for gone. */
  isOpen(mark: string | undefined): boolean;
}

/** Between two looks at a mark. */
export const LOOK_MS = 250;
/** So long somebody may be suspended. */
const PATIENCE_MS = 15_000;

export function createRenewalMarks(clock: Clock): RenewalMarks {
  let own: string | undefined;
  let seen: { readonly mark: string; readonly at: number; readonly ms: number } | undefined;
  return {
    next() {
      own = randomUUID();
      return own;
    },
    isOpen(mark) {
      if (mark === undefined || mark === own) return false;
      const at = clock.now();
      const before = seen?.mark === mark ? seen : { at, ms: 0 };
      // Only what was watched counts: not the sleep of this machine, nor an outage of the store.
      const ms = before.ms + Math.max(0, Math.min(at - before.at, 2 * LOOK_MS));
      seen = { mark, at, ms };
      return ms < PATIENCE_MS;
    },
  };
}
