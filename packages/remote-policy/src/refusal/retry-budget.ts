import { backoffDelay } from '@mcp-fittings/client-core/transport';

/**
 * What to do when the server says: not now (429, or 503 with `Retry-After`). Only requests that do no harm when they are
 * carried out twice are sent again: nobody knows whether such an answer came before or after the work.
 */
export interface RetryLaterOptions {
  /** Attempts after the first. Default 2; 0 never sends again. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds that one message waits in all; a server that asks for more fails it at once. Default 10 000. */
  readonly maxWaitMs?: number | undefined;
}

/** When the server asks for no time, and at the least. */
const INITIAL_MS = 500;
const FLOOR_MS = 100;

/** How often, and how long in all, one message is sent again to a busy server. */
export class RetryBudget {
  readonly #maxAttempts: number;
  readonly #maxWaitMs: number;
  readonly #random: () => number;
  #attempts = 0;
  #waitedMs = 0;

  constructor({ maxAttempts = 2, maxWaitMs = 10_000 }: RetryLaterOptions, random: () => number) {
    this.#maxAttempts = maxAttempts;
    this.#maxWaitMs = maxWaitMs;
    this.#random = random;
  }

  /** Milliseconds to wait before the message is sent again; undefined when the budget is spent. */
  next(retryAfterMs: number | undefined): number | undefined {
    if (this.#attempts >= this.#maxAttempts) return undefined;
    const own = retryAfterMs ?? backoffDelay(this.#attempts, { initialMs: INITIAL_MS, random: this.#random });
    const ms = Math.max(FLOOR_MS, own);
    if (this.#waitedMs + ms > this.#maxWaitMs) return undefined;
    this.#attempts++;
    this.#waitedMs += ms;
    return ms;
  }
}
