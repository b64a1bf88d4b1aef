import { FittingsError } from '@mcp-fittings/client-core';
import { backoffDelay } from '@mcp-fittings/toolbox/timing';
import type { CheckedOptions } from '../options.js';

/** Says how the latest connection of a stream ended. */
interface EndedStream {
  /** True if it received at least one event. */
  readonly progressed: boolean;
  /** Milliseconds for which it was open. */
  readonly openMs: number;
  /** Value of `retry:` from the server, in milliseconds. */
  readonly retryMs: number | undefined;
  /** Error with which it ended or did not open. Its `details.retryAfterMs` is the shortest wait. */
  readonly failure: unknown;
}

/** Shortest wait, so that `retry: 0` does not cause a busy loop. */
const FLOOR_MS = 250;
/** Share by which a wait is randomly lengthened, so that clients do not reconnect at once. It is never shortened. */
const LENGTHEN = 0.1;

/**
 * Counts the attempts to reopen one stream that made no progress: a stream that opens and ends without an event costs an attempt. One
 * that was open for `maxMs` does not, because a proxy that ends quiet streams every minute does not cause a busy loop.
 */
export class Reconnects {
  readonly #options: CheckedOptions['reconnect'];
  readonly #random: () => number;
  #attempts = 0;

  constructor(options: CheckedOptions['reconnect'], random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  /** Returns the milliseconds until the next attempt, or `undefined` when the attempts are used up. */
  next({ progressed, openMs, retryMs, failure }: EndedStream): number | undefined {
    const { initialMs = 1000, maxMs = 30_000, maxAttempts = 5 } = this.#options;
    if (progressed || openMs >= maxMs) this.#attempts = 0;
    if (this.#attempts >= maxAttempts) return undefined;
    const own = backoffDelay(this.#attempts, { initialMs, maxMs, jitter: 0 });
    const base = retryMs === undefined ? own : this.#attempts === 0 ? retryMs : Math.max(retryMs, own);
    this.#attempts++;
    return Math.round(Math.max(FLOOR_MS, base, retryAfterOf(failure)) * (1 + LENGTHEN * this.#random()));
  }
}

function retryAfterOf(failure: unknown): number {
  const ms = failure instanceof FittingsError ? failure.details['retryAfterMs'] : undefined;
  return typeof ms === 'number' ? ms : 0;
}
