import type { Clock } from '../contracts/clock.js';
import { systemClock } from './system-clock.js';

/** Whether `work` settles, either way, within `ms` milliseconds. Never rejects; the work itself goes on. */
export function settlesWithin(
  ms: number,
  work: PromiseLike<unknown>,
  clock: Clock = systemClock,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.schedule(() => resolve(false), ms);
    const settled = (): void => {
      timer[Symbol.dispose]();
      resolve(true);
    };
    work.then(settled, settled);
  });
}
