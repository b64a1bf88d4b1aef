import type { Clock } from '@mcp-fittings/client-core';
import { isErrorResponse, isMessage, type JSONRPCErrorResponse } from '@mcp-fittings/client-core/transport';
import { parseRetryAfter } from '@mcp-fittings/net-policy';
import { challengeKind } from '@mcp-fittings/network';
import { rowOf, type StatusRow } from '../status/status-table.js';
import type { RefusedReply } from '../wire/send.js';

/** What was sent when it was refused. */
export interface RefusedRequest {
  readonly verb: 'POST' | 'GET' | 'DELETE';
  readonly handshake: boolean;
  /** No event stream was opened in this session so far. */
  readonly firstStream: boolean;
  readonly sessionId: string | undefined;
  /** The session worked before. */
  readonly proven: boolean;
  /** To carry it out twice does no harm. */
  readonly safe: boolean;
}

/** A refused request and all that its reply says about it. */
export interface Refusal {
  readonly request: RefusedRequest;
  readonly url: URL;
  readonly status: number;
  readonly row: StatusRow;
  readonly text: string;
  /** The body, when it is a JSON-RPC error. */
  readonly rpcError: JSONRPCErrorResponse | undefined;
  readonly retryAfterMs: number | undefined;
}

/** What the official SDK answers when it does not know a session, in its examples and the servers made from them. */
const UNKNOWN_SESSION = -32_000;

export function readRefusal(reply: RefusedReply, request: RefusedRequest, clock: Clock): Refusal {
  const { head, text } = reply;
  const retryAfterMs = parseRetryAfter(head.header('retry-after'), { now: clock.now() });
  const rpcError = rpcErrorOf(text);
  const session = request.sessionId !== undefined;
  const safe = request.safe || request.handshake || request.verb !== 'POST';
  const row = rowOf(head.status, {
    handshake: request.handshake,
    stream: request.verb === 'GET',
    firstStream: request.verb === 'GET' && request.firstStream,
    session,
    sessionRefused: session && request.proven && rpcError?.error.code === UNKNOWN_SESSION,
    insufficientScope: challengeKind(head) === 'scope',
    safe,
    safeRetryAfter: safe && retryAfterMs !== undefined,
    retryAfter: retryAfterMs !== undefined,
  });
  return {
    request,
    url: head.url,
    status: head.status,
    row,
    text,
    rpcError,
    retryAfterMs,
  };
}

function rpcErrorOf(text: string): JSONRPCErrorResponse | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isMessage(value) && isErrorResponse(value) ? value : undefined;
}
