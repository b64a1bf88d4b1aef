import {
  isRequest,
  isRequestId,
  RPC_CODES,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
} from '@mcp-fittings/client-core/transport';
import type { Refusal } from './refusal.js';

/** The question with which an engine finds out whether a server is of the era of 2026-07-28. */
const PROBE = 'server/discover';

/** Who refuses for these reasons has not looked at the message, whatever the body says. */
const NOT_LOOKED_AT: ReadonlySet<string> = new Set(['challenge', 'retry-later', 'busy']);

/**
 * The answer that a refused request got nevertheless: a JSON-RPC error in the body of a status 4xx, and of a 5xx where the
 * request is of a stateless revision (`stateless`). An error without id is one for the probe and in a stateless revision,
 * where it can only mean the one request of the exchange. The probe for the era is answered on any 4xx, because an older
 * server refuses it in ways of its own. A 401, 403 or 429 and a busy server are never an answer.
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
    if (rpcError.id === id) return rpcError;
    if (!isRequestId(rpcError.id) && status < 500 && (stateless || probe)) return { ...rpcError, id };
  }
  if (!probe) return undefined;
  const text = `HTTP ${status} ${process.getBuiltinModule('node:http').STATUS_CODES[status] ?? ''}`.trim();
  return { jsonrpc: '2.0', id, error: { code: RPC_CODES.methodNotFound, message: text } };
}
