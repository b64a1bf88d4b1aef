import { type JSONRPCErrorResponse, TransportError } from '@mcp-fittings/client-core';
import { isErrorResponse, isMessage, parseJson } from '../messages.js';
import { builtin } from '../platform.js';
import type { Redactor } from '../text/redact.js';
import { readChallenge, type Challenge, type ReplyHead } from './challenge.js';
import { replyExcerpt } from './reply-excerpt.js';
import { stampSdkHttpError } from './sdk-members.js';
import { findStatusRow, type StatusRow } from './status-table.js';

/** A reply that refuses a request, with the beginning of its body. */
export interface RefusedReply {
  /** Tells it from an accepted reply. */
  readonly accepted: false;
  /** Status and headers. */
  readonly head: ReplyHead;
  /** Beginning of the body as text; empty without a body. */
  readonly text: string;
}

/** The request that was refused, as far as its refusal depends on it. */
export interface RefusedRequest {
  /** Name of the refused request in the error message: `POST`, `GET`, `the upgrade request`. */
  readonly what: string;
  /** True if the request may be carried out twice without harm: see `isSafeToRepeat`. */
  readonly safe: boolean;
  /** Status table of the transport, from `createStatusTable`. */
  readonly table: readonly StatusRow[];
  /** Returns which conditions of the transport's own rows hold for this reply. */
  conditions?(reply: RefusedReply, rpcError: JSONRPCErrorResponse | undefined): readonly string[];
}

/** A refusal, fully read: what the server said and what it means. */
export interface Refusal {
  /** Name of the refused request; see {@link RefusedRequest.what}. */
  readonly what: string;
  /** Status and headers of the reply. */
  readonly head: ReplyHead;
  /** Beginning of its body as text. */
  readonly text: string;
  /** The row of the status table that applies. */
  readonly row: StatusRow;
  /** The request of the server for credentials; `undefined` if other credentials would not help. */
  readonly challenge: Challenge | undefined;
  /** The body, if it is a JSON-RPC error response. */
  readonly rpcError: JSONRPCErrorResponse | undefined;
  /** Wait that `Retry-After` asks for, in milliseconds, at most one day. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Reads a refusal: its challenge, its body and `Retry-After`, and finds the row of the status table that applies.
 *
 * @param now Current time in milliseconds since the epoch, for a `Retry-After` that holds a date.
 * @param unsigned Whether the request had no credentials, neither of the provider nor configured ones.
 */
export function readRefusal(
  reply: RefusedReply,
  request: RefusedRequest,
  now: number,
  unsigned = false,
): Refusal {
  const { head, text } = reply;
  const challenge = readChallenge(head, { unsigned });
  const retryAfterMs = parseRetryAfter(head.header('retry-after'), now);
  const rpcError = parseRpcError(text);
  const conditions = new Set(request.conditions?.(reply, rpcError));
  if (challenge?.kind === 'scope') conditions.add('insufficientScope');
  if (challenge?.kind === 'credentials') conditions.add('credentialsMissing');
  if (request.safe) conditions.add('safe');
  if (retryAfterMs !== undefined) conditions.add('retryAfter');
  const row = findStatusRow(request.table, head.status, conditions);
  return { what: request.what, head, text, row, challenge, rpcError, retryAfterMs };
}

const DAY_MS = 86_400_000;

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait, between 0 and one day, or `undefined` if there is no header
 * or it is malformed. `now` is in milliseconds since the epoch, for headers that hold a date.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, DAY_MS);
  // Date.parse alone accepts almost any text as a date.
  if (text.length > 40 || !/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), DAY_MS);
}

function parseRpcError(text: string): JSONRPCErrorResponse | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  const value = parseJson(text);
  return isMessage(value) && isErrorResponse(value) ? value : undefined;
}

const TOO_MANY_REQUESTS = 429;
/** Characters of the body in the message, and in `data` of the error. */
const EXCERPT = 200;
const KEPT = 2000;

/**
 * Returns the error with which the request fails if the refusal cannot be cured. `details` holds `status`, `url` (its origin)
 * and, if the server sent them, `retryAfterMs` and `rpcCode`. The error also has the members of `SdkHttpError` of
 * `@modelcontextprotocol/client`.
 *
 * @param redact Removes secrets that the server may repeat, before text of the server enters the message.
 */
export function refusalError(refusal: Refusal, redact: Redactor): TransportError {
  const { what, head, row, rpcError, retryAfterMs } = refusal;
  const { status, url } = head;
  const statusText = builtin('node:http')?.STATUS_CODES[status] ?? '';
  const answer = `The server answered ${what} with ${status} ${statusText}`.trim();
  const said = replyExcerpt(rpcError?.error.message ?? refusal.text, redact, EXCERPT);
  const error = new TransportError(row.code, said === '' ? `${answer}.` : `${answer}: ${said}`, {
    delivery: row.delivery,
    retryable: row.retryable,
    hint: row.hint,
    details: {
      status,
      url: url.origin,
      retryAfterMs,
      ...(rpcError !== undefined && { rpcCode: rpcError.error.code }),
    },
  });
  const text = replyExcerpt(refusal.text, redact, KEPT);
  stampSdkHttpError(error, { status, statusText, text }, status !== TOO_MANY_REQUESTS);
  return error;
}
