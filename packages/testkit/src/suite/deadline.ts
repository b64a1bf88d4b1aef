import { AssertionError } from 'node:assert/strict';

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
    async within(promise, what) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new AssertionError({ message: `${what} (not within ${ms} ms)` })),
          ms,
        );
      });
      try {
        return await Promise.race([promise, late]);
      } finally {
        clearTimeout(timer);
      }
    },
    async eventually(condition, what) {
      for (let waited = 0; !condition(); waited += STEP_MS) {
        if (waited > ms) throw new AssertionError({ message: `${what()} (not within ${ms} ms)` });
        await pause(STEP_MS);
      }
    },
    staysPending: (promise) =>
      Promise.race([
        promise.then(
          () => false,
          () => false,
        ),
        pause(MOMENT_MS).then(() => true),
      ]),
    moment: () => pause(MOMENT_MS),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
