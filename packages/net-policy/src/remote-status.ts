import type { Delivery, ErrorCode } from '@mcp-fittings/client-core';
import { namesError } from './challenges.js';
import { parseRetryAfter } from './retry-after.js';

/** What an HTTP answer says of a refused request besides its body. */
export interface RemoteRefusal {
  readonly status: number;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The request does no harm when it is carried out twice: `isSafeToRepeat`. */
  readonly safe: boolean;
  /** For `Retry-After`; milliseconds since the epoch. */
  readonly now: number;
}

export interface RemoteStatus {
  readonly code: ErrorCode;
  readonly delivery: Delivery;
  /** Where it differs from what the code says in general. */
  readonly retryable?: boolean | undefined;
  /** What `Retry-After` asks for, a day at most. */
  readonly retryAfterMs: number | undefined;
}

/**
 * What a status that means failure says, whichever remote transport got it: `AUTH_REJECTED` (401), `AUTH_SCOPE_INSUFFICIENT`
 * (403 with `error="insufficient_scope"`), `RATE_LIMITED` (429, and 503 with `Retry-After`), `SERVER_ERROR` (other 5xx), else
 * `HTTP_STATUS`. A 4xx says that the request was not carried out; a 408, a 5xx, or a 429 of a gateway that counts answers, may
 * come after the work was done.
 */
export function readRemoteStatus({ status, header, safe, now }: RemoteRefusal): RemoteStatus {
  const retryAfterMs = parseRetryAfter(header('retry-after'), { now });
  if (status === 401) return { code: 'AUTH_REJECTED', delivery: 'rejected', retryAfterMs };
  if (status === 403 && namesError(header('www-authenticate'), 'insufficient_scope')) {
    return { code: 'AUTH_SCOPE_INSUFFICIENT', delivery: 'rejected', retryAfterMs };
  }
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
    return { code: 'RATE_LIMITED', delivery: safe ? 'rejected' : 'unknown', retryAfterMs };
  }
  if (status === 408) return { code: 'HTTP_STATUS', delivery: 'unknown', retryable: true, retryAfterMs };
  if (status >= 500 && status <= 599) return { code: 'SERVER_ERROR', delivery: 'unknown', retryAfterMs };
  const refused = status >= 400 && status <= 499;
  return { code: 'HTTP_STATUS', delivery: refused ? 'rejected' : 'unknown', retryAfterMs };
}
