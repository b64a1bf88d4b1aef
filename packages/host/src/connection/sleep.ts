import type { Clock } from '@mcp-fittings/client-core';

/** Waits `ms`, or less when `signal` is aborted; never rejects. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.schedule(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
    function finish(): void {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
