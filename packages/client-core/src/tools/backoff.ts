export interface BackoffOptions {
  /** Delay before the first retry, milliseconds. Default 1000. */
  readonly initialMs?: number | undefined;
  /** No delay is longer, milliseconds. Default 30 000. */
  readonly maxMs?: number | undefined;
  /** Each delay is this many times the one before. Default 2. */
  readonly factor?: number | undefined;
  /** Share of each delay that is drawn at random, 0 to 1, so that clients do not return in step. Default 0.2. */
  readonly jitter?: number | undefined;
  /** Source of chance in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Milliseconds to wait before retry number `attempt` (0 is the first): exponential, capped, and with jitter that
 * only ever shortens it, so that `maxMs` holds.
 */
export function backoffDelay(attempt: number, options: BackoffOptions = {}): number {
  const { initialMs = 1000, maxMs = 30_000, factor = 2, jitter = 0.2, random = Math.random } = options;
  // Beyond this many steps every delay is at its cap, and nought times infinity would be no number.
  const step = Math.min(64, Math.max(0, attempt));
  const full = Math.min(maxMs, initialMs * factor ** step);
  return Math.round(full * (1 - Math.min(1, Math.max(0, jitter)) * random()));
}
