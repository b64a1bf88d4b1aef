import { AssertionError } from 'node:assert/strict';
import { settlesWithin, sleep, withTimeout } from '@mcp-fittings/client-core/timing';

/** Waits for things that must happen soon, and says which one did not. */
export interface Deadline {
  within<T>(promise: Promise<T>, what: string): Promise<T>;
  /** Looks again and again until `condition` holds. */
  eventually(condition: () => boolean, what: () => string): Promise<void>;
  /** False when `promise` settles within a moment. */
  staysPending(promise: Promise<unknown>): Promise<boolean>;
  /** Lets a moment pass in which something forbidden would happen. */
  moment(): Promise<void>;
}

/** A correct transport never fails because of this moment; a broken one has it to show itself. */
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
