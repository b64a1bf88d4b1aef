import {
  isErrorResponse,
  isMessage,
  TransportError,
  type JSONRPCErrorResponse,
  type Redactor,
} from '@mcp-fittings/client-core/transport';
import { readChallenge, type Challenge, type ReplyHead } from './challenge.js';
import { replyExcerpt } from './reply-excerpt.js';
import { parseRetryAfter } from './retry-after.js';
import { stampSdkHttpError } from './sdk-members.js';
import { findStatusRow, type StatusRow } from './status-table.js';

/** A reply that does not accept the request, with the beginning of its body. */
export interface RefusedReply {
  readonly accepted: false;
  readonly head: ReplyHead;
  readonly text: string;
}

/** What was refused. */
export interface RefusedRequest {
  /** What the server has answered, as the error names it: `POST`, `GET`, `the upgrade`. */
  readonly what: string;
  /** Carrying it out twice does no harm. */
  readonly safe: boolean;
  /** The table of the transport, made with `statusTable`. */
  readonly table: readonly StatusRow[];
  /** Which facts of the rows of the transport itself are so. */
  facts?(reply: RefusedReply, rpcError: JSONRPCErrorResponse | undefined): readonly string[];
}

/** A refused request and everything that its reply says. */
export interface Refusal {
  /** As in {@link RefusedRequest}. */
  readonly what: string;
  readonly head: ReplyHead;
  readonly text: string;
  readonly row: StatusRow;
  /** Other credentials may help. */
  readonly challenge: Challenge | undefined;
  /** The body, if it is a JSON-RPC error. */
  readonly rpcError: JSONRPCErrorResponse | undefined;
  /** What `Retry-After` asks for, milliseconds, a day at most. */
  readonly retryAfterMs: number | undefined;
}

/** Reads a refusal: challenge, body, `Retry-After`, and what they mean together. `now`: milliseconds since the epoch. */
export function readRefusal(reply: RefusedReply, request: RefusedRequest, now: number): Refusal {
  const { head, text } = reply;
  const challenge = readChallenge(head);
  const retryAfterMs = parseRetryAfter(head.header('retry-after'), { now });
  const rpcError = parseRpcError(text);
  const facts = new Set(request.facts?.(reply, rpcError));
  if (challenge?.kind === 'scope') facts.add('insufficientScope');
  if (request.safe) facts.add('safe');
  if (retryAfterMs !== undefined) facts.add('retryAfter');
  const row = findStatusRow(request.table, head.status, facts);
  return { what: request.what, head, text, row, challenge, rpcError, retryAfterMs };
}

function parseRpcError(text: string): JSONRPCErrorResponse | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isMessage(value) && isErrorResponse(value) ? value : undefined;
}

const TOO_MANY_REQUESTS = 429;
/** Characters of the body in the message, and in `data` of the error. */
const EXCERPT = 200;
const KEPT = 2000;

/**
 * What a refusal means when nothing helps. `details` holds `status`, `url` (its origin) and, if the server said them,
 * `retryAfterMs` and `rpcCode`. The error also has the members of the `SdkHttpError` of SDK v2.
 */
export function refusalError(refusal: Refusal, redact: Redactor): TransportError {
  const { what, head, row, rpcError, retryAfterMs } = refusal;
  const { status, url } = head;
  // Looked up when an error needs it: to import `node:http` takes 20 ms on Node 24.
  const statusText = process.getBuiltinModule('node:http').STATUS_CODES[status] ?? '';
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
