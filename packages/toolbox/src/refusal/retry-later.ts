import { backoffDelay } from '../timing/waits.js';

/**
 * Says what to do if the server is busy: status 429, or 503 with `Retry-After`. Only requests that may be carried out twice without
 * harm are sent again, because such a reply does not tell whether the server did the work before it sent it.
 */
export interface RetryLaterOptions {
  /** Attempts after the first one. Default 2; 0 never sends a request again. */
  readonly maxAttempts?: number | undefined;
  /**
   * Longest total wait of one message, in milliseconds. If the server asks for more, the message fails at once with
   * `RATE_LIMITED`. Default 10 000.
   */
  readonly maxWaitMs?: number | undefined;
}

/** First wait if the server does not ask for one, and the shortest wait of all. */
const INITIAL_MS = 500;
const FLOOR_MS = 100;

/** Counts how often, and for how long in total, one message waits for a busy server. */
export class RetryBudget {
  readonly #maxAttempts: number;
  readonly #maxWaitMs: number;
  readonly #random: () => number;
  #attempts = 0;
  #waitedMs = 0;

  /** @param random Source of randomness in [0, 1), which spreads the waits of many clients. */
  constructor({ maxAttempts = 2, maxWaitMs = 10_000 }: RetryLaterOptions, random: () => number) {
    this.#maxAttempts = maxAttempts;
    this.#maxWaitMs = maxWaitMs;
    this.#random = random;
  }

  /**
   * Returns the milliseconds to wait before the message is sent again, or `undefined` when the budget is spent.
   *
   * @param retryAfterMs What the server asked for with `Retry-After`; without it the wait doubles with each attempt.
   */
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
