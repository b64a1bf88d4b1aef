import { FittingsError, isRecent, type Clock } from '@mcp-fittings/client-core/auth';

/** Keeps a server from asking a person for more scopes again and again. */
export interface StepUpLimiter {
  /**
   * Throws `AUTH_SCOPE_INSUFFICIENT` if another sign-in would not help: every scope in `needed` was requested before, or the
   * server keeps demanding new scopes.
   */
  check(needed: readonly string[] | undefined, requested: readonly string[]): void;
  /** Counts a sign-in that was made because a scope was missing. */
  add(): void;
  /** Forgets all sign-ins, after a sign-out. */
  clear(): void;
}

/** A server may ask for this many sign-ins with more scopes within the window. */
const MAX_STEP_UPS = 2;
const WINDOW_MS = 10 * 60_000;

export function createStepUpLimiter(server: string, clock: Clock): StepUpLimiter {
  let times: readonly number[] = [];
  return {
    check(needed, requested) {
      times = times.filter((at) => isRecent(at, WINDOW_MS, clock.now()));
      // A server that does not name the missing scope gets one more sign-in, with the scopes that it lists.
      const wasRequested =
        needed === undefined ? times.length > 0 : needed.every((scope) => requested.includes(scope));
      if (!wasRequested && times.length < MAX_STEP_UPS) return;
      throw new FittingsError(
        'AUTH_SCOPE_INSUFFICIENT',
        `"${server}" still refuses access after you signed in with the scopes it asked for.`,
        {
          server,
          delivery: 'rejected',
          hint: 'Ask the owner of the server which permissions your account needs.',
        },
      );
    },
    add() {
      times = [...times, clock.now()];
    },
    clear() {
      times = [];
    },
  };
}
