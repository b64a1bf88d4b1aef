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

/** Says how `parseRetryAfter` reads the header. */
export interface RetryAfterOptions {
  /** Current time in milliseconds since the epoch, for headers that hold a date. */
  readonly now: number;
  /** Upper bound of the result, in milliseconds. Default 86 400 000, which is one day. */
  readonly maxMs?: number | undefined;
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait, between 0 and `maxMs`, or `undefined` if there is no header
 * or it is malformed.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3
 */
export function parseRetryAfter(value: string | undefined, options: RetryAfterOptions): number | undefined {
  const { now, maxMs = 86_400_000 } = options;
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxMs);
  // Date.parse alone accepts almost any text as a date.
  if (text.length > 40 || !/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), maxMs);
}
