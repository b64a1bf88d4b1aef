import { backoffDelay, FittingsError } from '@mcp-fittings/client-core/transport';

/** How hard an event stream is sought after it ended. Times are milliseconds. */
export interface ReconnectOptions {
  /** Before the first attempt, unless the server's `retry:` says otherwise. Default 1000. */
  readonly initialMs?: number | undefined;
  /** No wait of ours is longer. Default 30 000. */
  readonly maxMs?: number | undefined;
  /** Attempts without a single event before the stream counts as lost. Default 5. */
  readonly maxAttempts?: number | undefined;
  /**
   * Silence, without even a comment, after which the server's own event stream is taken for half-open and opened again; the
   * stream of `subscriptions/listen` (2026-07-28) ends with `STREAM_LOST` instead, and its caller listens again. Default 120 000; 0 for never.
   */
  readonly silenceMs?: number | undefined;
}

export interface EndedStream {
  /** It brought at least one event. */
  readonly progressed: boolean;
  /** How long it was open, milliseconds. */
  readonly openMs: number;
  /** What its server said in `retry:`. */
  readonly retryMs: number | undefined;
  /** Why it ended, or did not begin. Its `details.retryAfterMs` is waited for. */
  readonly failure: unknown;
}

/** The attempts to get one stream back. */
export interface Reconnects {
  /** Milliseconds until the next attempt; undefined when the budget is spent. */
  next(ended: EndedStream): number | undefined;
}

/** `retry: 0` is no invitation to a hot loop. */
const FLOOR_MS = 250;
/** Share by which chance lengthens a wait, so that clients do not return in step. Never before the server's time. */
const LENGTHEN = 0.1;

/**
 * Counts progress, not connections: a stream that opens and dies without an event costs an attempt. One that was open
 * for `maxMs` does not: a proxy that ends quiet streams every minute makes no hot loop.
 */
export function createReconnects(options: ReconnectOptions, random: () => number): Reconnects {
  const { initialMs = 1000, maxMs = 30_000, maxAttempts = 5 } = options;
  let attempts = 0;
  return {
    next({ progressed, openMs, retryMs, failure }) {
      if (progressed || openMs >= maxMs) attempts = 0;
      if (attempts >= maxAttempts) return undefined;
      const own = backoffDelay(attempts, { initialMs, maxMs, jitter: 0 });
      const base = retryMs === undefined ? own : attempts === 0 ? retryMs : Math.max(retryMs, own);
      attempts++;
      return Math.round(Math.max(FLOOR_MS, base, retryAfterOf(failure)) * (1 + LENGTHEN * random()));
    },
  };
}

function retryAfterOf(failure: unknown): number {
  const ms = failure instanceof FittingsError ? failure.details['retryAfterMs'] : undefined;
  return typeof ms === 'number' ? ms : 0;
}
