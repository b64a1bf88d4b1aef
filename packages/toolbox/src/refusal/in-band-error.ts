import type { JSONRPCErrorResponse, JSONRPCMessage } from '@mcp-fittings/client-core';
import { answersId, isRequest, isRequestId, RPC_CODES } from '../messages.js';
import { builtin } from '../platform.js';
import type { Refusal } from './refusal.js';

/** The request with which a client finds out whether a server speaks the revision 2026-07-28. */
const PROBE = 'server/discover';

/** A server that refuses for these reasons has not read the message, whatever the body says. */
const NOT_LOOKED_AT: ReadonlySet<string> = new Set(['challenge', 'retry-later', 'busy']);

/**
 * Returns the JSON-RPC error that a refusal holds in its body and that answers the request, or `undefined` if it holds none.
 *
 * A 4xx may hold one, and a 5xx too if `stateless`. An error without an id answers the request if that is `server/discover` or
 * `stateless`: the reply then has no other request to answer. Any 4xx answers `server/discover`, with a made-up "method not
 * found" if necessary, because older servers refuse it in different ways. A 401, 403, 429 or a busy server never answers.
 *
 * @param stateless Whether the request is of a revision without sessions, 2026-07-28 or later.
 */
export function findInBandError(
  message: JSONRPCMessage,
  refusal: Refusal,
  stateless: boolean,
): JSONRPCErrorResponse | undefined {
  if (!isRequest(message)) return undefined;
  const { rpcError, row, head } = refusal;
  const { status } = head;
  if (status < 400 || status === 403 || NOT_LOOKED_AT.has(row.meaning)) return undefined;
  const probe = message.method === PROBE;
  if (status >= 500 && (probe || !stateless)) return undefined;
  const { id } = message;
  if (rpcError !== undefined) {
    if (answersId(rpcError.id, id)) return { ...rpcError, id };
    if (!isRequestId(rpcError.id) && status < 500 && (stateless || probe)) return { ...rpcError, id };
  }
  if (!probe) return undefined;
  const text = `HTTP ${status} ${builtin('node:http')?.STATUS_CODES[status] ?? ''}`.trim();
  return { jsonrpc: '2.0', id, error: { code: RPC_CODES.methodNotFound, message: text } };
}
