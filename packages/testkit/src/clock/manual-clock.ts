import type { Clock } from '@mcp-fittings/client-core';

export interface ManualClockOptions {
  /** What `now()` says at first, milliseconds since the Unix epoch. Default 0. */
  readonly now?: number | undefined;
}

/** A {@link Clock} whose time passes only in {@link advance}. */
export interface ManualClock extends Clock {
  /**
   * Lets `ms` pass: runs each timer that falls due, in order and at its own time, also those that are set on the way,
   * and after each one lets all promise work settle. Rejects with what a task throws.
   */
  advance(ms: number): Promise<void>;
  /** How many timers wait. */
  readonly pending: number;
  /** Milliseconds until the next timer, undefined when there is none. */
  readonly nextIn: number | undefined;
}

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

export function createManualClock(options: ManualClockOptions = {}): ManualClock {
  let now = options.now ?? 0;
  const timers = new Set<Timer>();

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    // A set keeps the order of insertion, so of two that are due at once the older runs first.
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

/** A whole turn of the event loop: no promise job is left after it. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
