/**
 * Whether `at` is less than `ms` ago, milliseconds. A time in the future is not: what was remembered before a clock was set
 * back must not count until the clock catches up.
 */
export function isWithin(at: number, ms: number, now: number): boolean {
  return now >= at && now - at < ms;
}
