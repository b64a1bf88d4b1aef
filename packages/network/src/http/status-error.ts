import { TransportError, type Delivery, type ErrorCode, type Redactor } from '@mcp-fittings/client-core';
import { parseRetryAfter, replyExcerpt } from '@mcp-fittings/net-policy';
import type { ResponseHead } from '../network.js';
import { stampSdkHttpError } from '../signing/sdk-shape.js';

export interface StatusErrorOptions {
  readonly server?: string | undefined;
  /** What was refused: `The message`. Default `A request`. */
  readonly what?: string | undefined;
  /** The body, or its beginning; a short piece of it is shown, made harmless. */
  readonly body?: string | undefined;
  /** Removes our own secrets, which a server may repeat. */
  readonly redact?: Redactor | undefined;
  /** The request does no harm when it is carried out twice. Default true. */
  readonly safe?: boolean | undefined;
  /** For `Retry-After`; milliseconds since the epoch. */
  readonly now: number;
  /** Where the caller knows better than the number. */
  readonly code?: ErrorCode | undefined;
  readonly hint?: string | undefined;
}

const EXCERPT = 200;
const KEPT = 2000;
const TOO_MANY_REQUESTS = 429;

/**
 * The error for an answer whose status means failure: `AUTH_REJECTED` (401), `RATE_LIMITED` (429, and 503 with
 * `Retry-After`), `SERVER_ERROR` (other 5xx), else `HTTP_STATUS`. `details` holds `status`, `url` (its origin) and,
 * where the server said it, `retryAfterMs`. It also has the members of the `SdkHttpError` of SDK v2.
 */
export function statusError(head: ResponseHead, options: StatusErrorOptions): TransportError {
  const { status, url } = head;
  const { body = '', redact = (text) => text } = options;
  const retryAfterMs = parseRetryAfter(head.header('retry-after'), { now: options.now });
  const text = replyExcerpt(body, redact, KEPT);
  const excerpt = replyExcerpt(body, redact, EXCERPT);
  const message = `${options.what ?? 'A request'} was answered with HTTP ${String(status)} by ${url.origin}`;
  const error = new TransportError(
    options.code ?? codeOf(status, retryAfterMs),
    excerpt === '' ? `${message}.` : `${message}: ${excerpt}`,
    {
      server: options.server,
      delivery: deliveryOf(status, retryAfterMs, options.safe ?? true),
      hint: options.hint,
      details: { status, url: url.origin, retryAfterMs },
    },
  );
  stampSdkHttpError(error, { status, statusText: '', text }, status !== TOO_MANY_REQUESTS);
  return error;
}

function codeOf(status: number, retryAfterMs: number | undefined): ErrorCode {
  if (status === 401) return 'AUTH_REJECTED';
  if (status === TOO_MANY_REQUESTS || (status === 503 && retryAfterMs !== undefined)) return 'RATE_LIMITED';
  return status >= 500 ? 'SERVER_ERROR' : 'HTTP_STATUS';
}

/**
 * A 4xx says that the request was not carried out; a 5xx, or a 429 of a gateway that counts answers, may come after the work
 * was done.
 */
function deliveryOf(status: number, retryAfterMs: number | undefined, safe: boolean): Delivery {
  const later = status === TOO_MANY_REQUESTS || (status === 503 && retryAfterMs !== undefined);
  if (later) return safe ? 'rejected' : 'unknown';
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unknown';
}
