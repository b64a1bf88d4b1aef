import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { isRecent } from '@mcp-fittings/toolbox/timing';

/** A server may ask for this many sign-ins with more scopes within the window. */
const MAX_STEP_UPS = 2;
const WINDOW_MS = 10 * 60_000;

/** Keeps a server from asking a person for more scopes again and again. */
export class StepUpLimiter {
  readonly #server: string;
  readonly #clock: Clock;
  #times: readonly number[] = [];

  constructor(server: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /**
   * Throws `AUTH_SCOPE_INSUFFICIENT` if another sign-in would not help: every scope in `needed` was requested before, or the
   * server keeps demanding new scopes.
   */
  check(needed: readonly string[] | undefined, requested: readonly string[]): void {
    this.#times = this.#times.filter((at) => isRecent(at, WINDOW_MS, this.#clock.now()));
    const count = this.#times.length;
    // A server that does not name the missing scope gets one more sign-in, with the scopes that it lists.
    const wasRequested =
      needed === undefined ? count > 0 : needed.every((scope) => requested.includes(scope));
    if (!wasRequested && count < MAX_STEP_UPS) return;
    throw new FittingsError(
      'AUTH_SCOPE_INSUFFICIENT',
      `"${this.#server}" still refuses access after you signed in with the scopes it asked for.`,
      {
        server: this.#server,
        delivery: 'rejected',
        hint: 'Ask the owner of the server which permissions your account needs.',
      },
    );
  }

  /** Counts a sign-in that was made because a scope was missing. */
  add(): void {
    this.#times = [...this.#times, this.#clock.now()];
  }

  /** Forgets all sign-ins, after a sign-out. */
  clear(): void {
    this.#times = [];
  }
}
