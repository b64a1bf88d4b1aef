import { sanitizeText, TransportError, type Delivery, type ErrorCode } from '@mcp-fittings/client-core';
import { parseRetryAfter } from '@mcp-fittings/net-policy';
import type { ResponseHead } from '../network.js';
import { stampSdkHttpError } from '../signing/sdk-shape.js';

export interface StatusErrorOptions {
  readonly server?: string | undefined;
  /** What was refused: `The message`. Default `A request`. */
  readonly what?: string | undefined;
  /** The body, or its beginning; a short piece of it is shown, made harmless. */
  readonly body?: string | undefined;
  /** Removes our own secrets, which a server may repeat. */
  readonly redact?: ((text: string) => string) | undefined;
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
  // Masked before it is cut, so that no part of a secret is left over.
  const text = sanitizeText(redact(body), { maxLength: KEPT });
  const excerpt = sanitizeText(text, { maxLength: EXCERPT }).trim();
  const message = `${options.what ?? 'A request'} was answered with HTTP ${String(status)} by ${url.origin}`;
  const error = new TransportError(
    options.code ?? codeOf(status, retryAfterMs),
    excerpt === '' ? `${message}.` : `${message}: ${excerpt}`,
    {
      server: options.server,
      delivery: deliveryOf(status, retryAfterMs),
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

/** A 4xx says that the request was not carried out; a 5xx may come after half of the work was done. */
function deliveryOf(status: number, retryAfterMs: number | undefined): Delivery {
  if (status === 503 && retryAfterMs !== undefined) return 'rejected';
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unknown';
}
