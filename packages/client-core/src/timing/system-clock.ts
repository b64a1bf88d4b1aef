import type { Clock } from '../contracts/clock.js';

/** The clock of the machine; holds nothing. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(task, ms, { unref = false } = {}) {
    const timer = setTimeout(task, Math.min(ms, MAX_TIMER_MS));
    // A browser's timer is a number, which keeps nothing alive.
    if (unref && typeof timer === 'object') timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Node runs a longer timer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
