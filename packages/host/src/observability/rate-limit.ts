import type { Clock } from '@mcp-fittings/client-core';

/** Lets so many through in each second; tells how many it held back. */
export interface RateLimit {
  allow(): boolean;
  /** How many were held back since this was asked last. */
  takeDropped(): number;
}

export function createRateLimit(clock: Clock, perSecond: number): RateLimit {
  let windowStart = 0;
  let passed = 0;
  let dropped = 0;
  return {
    allow() {
      const now = clock.now();
      if (now - windowStart >= 1000) {
        windowStart = now;
        passed = 0;
      }
      if (passed < perSecond) {
        passed++;
        return true;
      }
      dropped++;
      return false;
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}
