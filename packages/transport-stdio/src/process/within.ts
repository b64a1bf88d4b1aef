import type { Clock } from '@mcp-fittings/client-core';

/** Waits for `event`, at most `ms`; tells whether it came. `event` must not reject. */
export function within(clock: Clock, event: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.schedule(() => resolve(false), ms);
    void event.then(() => {
      timer[Symbol.dispose]();
      resolve(true);
    });
  });
}
