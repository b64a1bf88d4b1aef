import { AssertionError } from 'node:assert/strict';
import { settlesWithin, sleep, withTimeout } from '@mcp-fittings/toolbox/timing';

/** Waits with a time limit, and names what did not happen. */
export interface Deadline {
  /** Settles as `promise` does, or rejects with an assertion error when the time is over. */
  within<T>(promise: Promise<T>, what: string): Promise<T>;
  /** Polls `condition` until it holds. */
  eventually(condition: () => boolean, what: () => string): Promise<void>;
  /** Resolves with false if `promise` settles within a moment. */
  staysPending(promise: Promise<unknown>): Promise<boolean>;
  /** Waits a moment, in which something forbidden would happen. */
  moment(): Promise<void>;
}

/** A correct transport never fails because of this time; a broken one has it to show the error. */
const MOMENT_MS = 100;
const STEP_MS = 20;

export function createDeadline(ms: number): Deadline {
  return {
    within: (promise, what) =>
      withTimeout(
        { ms, error: () => new AssertionError({ message: `${what} (not within ${ms} ms)` }) },
        () => promise,
      ),
    async eventually(condition, what) {
      for (let waited = 0; !condition(); waited += STEP_MS) {
        if (waited > ms) throw new AssertionError({ message: `${what()} (not within ${ms} ms)` });
        await sleep(STEP_MS);
      }
    },
    staysPending: async (promise) => !(await settlesWithin(MOMENT_MS, promise)),
    moment: () => sleep(MOMENT_MS),
  };
}

/** Result of a promise. Its rejection counts as handled. */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

export function outcomeOf(promise: Promise<unknown>): Promise<Outcome> {
  return promise.then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error }),
  );
}
