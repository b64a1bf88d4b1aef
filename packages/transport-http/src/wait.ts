import type { Clock } from '@mcp-fittings/client-core';
import type { Lifetime } from './lifetime.js';

/** Settles after `ms`, or when `lifetime` ends; it leaves no timer behind. */
export function wait(clock: Clock, ms: number, lifetime: Lifetime): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.schedule(() => {
      stay();
      resolve();
    }, ms);
    const stay = lifetime.onEnd(() => {
      timer[Symbol.dispose]();
      resolve();
    });
  });
}
