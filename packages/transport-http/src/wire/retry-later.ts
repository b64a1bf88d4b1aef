import { backoffDelay } from '@mcp-fittings/client-core';

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

/** The patience of one message. */
export interface Patience {
  /** Milliseconds to wait before it is sent again; undefined when it is not. */
  next(retryAfterMs: number | undefined): number | undefined;
}

/** When the server asks for no time, and at the least. */
const INITIAL_MS = 500;
const FLOOR_MS = 100;

export function createPatience(options: RetryLaterOptions, random: () => number): Patience {
  const { maxAttempts = 2, maxWaitMs = 10_000 } = options;
  let attempts = 0;
  let waited = 0;
  return {
    next(retryAfterMs) {
      if (attempts >= maxAttempts) return undefined;
      const ms = Math.max(
        FLOOR_MS,
        retryAfterMs ?? backoffDelay(attempts, { initialMs: INITIAL_MS, random }),
      );
      if (waited + ms > maxWaitMs) return undefined;
      attempts++;
      waited += ms;
      return ms;
    },
  };
}
