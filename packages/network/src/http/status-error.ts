import { TransportError, type ErrorCode, type Redactor } from '@mcp-fittings/client-core';
import { readRemoteStatus, replyExcerpt } from '@mcp-fittings/net-policy';
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
 * The error for an answer whose status means failure, with the code that `readRemoteStatus` of net-policy gives. `details` holds `status`, `url` (its origin) and,
 * where the server said it, `retryAfterMs`. It also has the members of the `SdkHttpError` of SDK v2.
 */
export function statusError(head: ResponseHead, options: StatusErrorOptions): TransportError {
  const { status, url } = head;
  const { body = '', redact = (text) => text } = options;
  const { code, delivery, retryable, retryAfterMs } = readRemoteStatus({
    status,
    header: (name) => head.header(name),
    safe: options.safe ?? true,
    now: options.now,
  });
  const text = replyExcerpt(body, redact, KEPT);
  const excerpt = replyExcerpt(body, redact, EXCERPT);
  const message = `${options.what ?? 'A request'} was answered with HTTP ${String(status)} by ${url.origin}`;
  const error = new TransportError(
    options.code ?? code,
    excerpt === '' ? `${message}.` : `${message}: ${excerpt}`,
    {
      server: options.server,
      delivery,
      retryable: options.code === undefined ? retryable : undefined,
      hint: options.hint,
      details: { status, url: url.origin, retryAfterMs },
    },
  );
  stampSdkHttpError(error, { status, statusText: '', text }, status !== TOO_MANY_REQUESTS);
  return error;
}
