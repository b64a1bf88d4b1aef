/**
 * A source of time and timers. The default everywhere is `systemClock`; tests pass one of their own, such as
 * `createManualClock()` of `@mcp-fittings/testkit/clock`. All values are milliseconds.
 */
export interface Clock {
  /** Returns the current time in milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `task` once after `ms`; dispose of the result to cancel it. With `unref`, the timer does not keep the process alive. */
  schedule(task: () => void, ms: number, options?: { readonly unref?: boolean }): Disposable;
}
