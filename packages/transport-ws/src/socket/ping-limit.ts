import type { Clock } from '@mcp-fittings/client-core/transport';

const WINDOW_MS = 10_000;

/** Counts the control frames of a peer, window by window: no timer, and one number a connection. */
export function createPingLimit(max: number, clock: Clock): { allows(): boolean } {
  let since = clock.now();
  let count = 0;
  return {
    allows() {
      const now = clock.now();
      // A clock that was set back begins anew as well.
      if (now - since >= WINDOW_MS || now < since) {
        since = now;
        count = 0;
      }
      count += 1;
      return count <= max;
    },
  };
}
