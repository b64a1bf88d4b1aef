/**
 * A clock for tests: time passes only when the test advances it.
 *
 * @packageDocumentation
 */
import type { Clock } from '@mcp-fittings/client-core';

/** A `Clock` whose time passes only in {@link advance}, see {@link createManualClock}. */
export interface ManualClock extends Clock {
  /**
   * Lets `ms` milliseconds pass. Runs each due timer in order and at its own time, including those that are set meanwhile, and
   * lets all promise jobs run after each. Rejects with what a task throws.
   */
  advance(ms: number): Promise<void>;
  /** Number of timers that are set. 0 at the end of a test shows that none leaks. */
  readonly pending: number;
  /** Milliseconds until the next timer; undefined if no timer is set. */
  readonly nextIn: number | undefined;
}

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/**
 * Creates a clock that stands still until the test advances it.
 *
 * @example
 * ```ts
 * const clock = createManualClock();
 * const slept = sleep(60_000, { clock });
 * await clock.advance(60_000);
 * await slept;
 * ```
 */
export function createManualClock(
  options: {
    /** Initial time, in milliseconds since the Unix epoch. Default 0. */
    readonly now?: number | undefined;
  } = {},
): ManualClock {
  let now = options.now ?? 0;
  const timers = new Set<Timer>();

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    // A set keeps the order of insertion: of two timers that are due at once, the older runs first.
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  };

  return {
    now: () => now,
    schedule(task, ms) {
      const timer: Timer = { at: now + Math.max(0, ms), task };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    async advance(ms) {
      const target = now + ms;
      await settled();
      for (let timer = next(); timer !== undefined && timer.at <= target; timer = next()) {
        now = timer.at;
        timers.delete(timer);
        timer.task();
        await settled();
      }
      now = target;
    },
    get pending() {
      return timers.size;
    },
    get nextIn() {
      const timer = next();
      return timer === undefined ? undefined : timer.at - now;
    },
  };
}

/** Resolves after a whole turn of the event loop, when no promise job is left. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
