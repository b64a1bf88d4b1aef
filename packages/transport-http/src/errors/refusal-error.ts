import type { TransportError } from '@mcp-fittings/client-core';
import { stampSdkHttpError } from '@mcp-fittings/network';
import type { StatusMeaning } from '../status/status-table.js';
import { excerpt, type Redact } from './excerpt.js';
import type { MakeError } from './make-error.js';
import type { Refusal } from './refusal.js';
import { statusTextOf } from './status-text.js';

const HINTS: Partial<Record<StatusMeaning, string>> = {
  auth: 'Check the configured credentials, or sign in.',
  scope: 'Sign in again and grant the scopes that the server asks for.',
  'older-server':
    'Check the URL. If the server speaks HTTP+SSE, use the transport `sse` or `http({ fallback: sse() })`.',
  'retry-later': 'Try again after `details.retryAfterMs`.',
  busy: 'The server may have carried it out. Send it again, after `details.retryAfterMs`, only if doing it twice does no harm.',
  gone: 'Connect again.',
};

const TOO_MANY_REQUESTS = 429;
const EXCERPT = 200;
const KEPT = 2000;

/**
 * What a refusal means when nothing helps. It also has the members `status`, `statusText` and `data` that programs
 * written for SDK v2 read.
 */
export function refusalError(refusal: Refusal, makeError: MakeError, redact: Redact): TransportError {
  const { row, status, request, rpcError, retryAfterMs } = refusal;
  const statusText = statusTextOf(status);
  const text = excerpt(refusal.text, redact, KEPT);
  const said = excerpt(rpcError?.error.message ?? refusal.text, redact, EXCERPT);
  const answer = `The server answered ${request.verb} with ${status} ${statusText}`.trim();
  const error = makeError(row.code, said === '' ? `${answer}.` : `${answer}: ${said}`, {
    delivery: row.delivery,
    retryable: row.retryable,
    hint: HINTS[row.meaning],
    details: {
      status,
      url: refusal.url.origin,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(rpcError !== undefined && { rpcCode: rpcError.error.code }),
    },
  });
  stampSdkHttpError(error, { status, statusText, text }, status !== TOO_MANY_REQUESTS);
  return error;
}
