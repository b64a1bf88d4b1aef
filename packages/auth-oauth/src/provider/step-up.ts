import { FittingsError, isRecent, type Clock } from '@mcp-fittings/client-core/auth';

/** Remembers how often a person was asked for wider rights, and whether it helped. */
export interface StepUps {
  /**
   * Throws `AUTH_SCOPE_INSUFFICIENT` when asking again would be in vain: all of `needed` was asked for before, or the
   * server comes up with ever new scopes.
   */
  check(needed: readonly string[] | undefined, requested: readonly string[]): void;
  /** A person has signed in because of a missing scope. */
  done(): void;
  /** The person signed out. */
  forget(): void;
}

/** So many step-ups within this time are an answer. */
const MAX_STEP_UPS = 2;
const WITHIN_MS = 10 * 60_000;

export function createStepUps(server: string, clock: Clock): StepUps {
  let times: readonly number[] = [];
  return {
    check(needed, requested) {
      times = times.filter((at) => isRecent(at, WITHIN_MS, clock.now()));
      // A server that does not say what is missing gets one more try with what it lists.
      const asked =
        needed === undefined ? times.length > 0 : needed.every((scope) => requested.includes(scope));
      if (!asked && times.length < MAX_STEP_UPS) return;
      throw new FittingsError(
        'AUTH_SCOPE_INSUFFICIENT',
        `"${server}" still refuses after the scopes were widened.`,
        {
          server,
          delivery: 'rejected',
          hint: 'Ask the owner of the server which rights the account needs.',
        },
      );
    },
    done() {
      times = [...times, clock.now()];
    },
    forget() {
      times = [];
    },
  };
}
