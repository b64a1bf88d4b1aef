import {
  isRequestId,
  RPC_CODES,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
} from '@mcp-fittings/client-core/transport';
import type { Refusal } from '../errors/refusal.js';
import { statusTextOf } from '../errors/status-text.js';

/** The question with which an engine finds out whether a server is of the era of 2026-07-28. */
const PROBE = 'server/discover';

/**
 * The answer that a refused request got nevertheless: a JSON-RPC error in the body of a status 4xx or 5xx. The probe
 * for the era is answered on any 4xx, since an older server refuses it in ways of its own; but a 401, a 403, a 429
 * and a 5xx say nothing about the era, and stay failures.
 */
export function inBandAnswer(
  request: JSONRPCRequest,
  refusal: Refusal,
  stateless: boolean,
): JSONRPCErrorResponse | undefined {
  const { status, rpcError } = refusal;
  if (status < 400 || status === 403) return undefined;
  const probe = request.method === PROBE;
  if (status >= 500 && (probe || !stateless)) return undefined;
  const { id } = request;
  if (rpcError !== undefined) {
    if (rpcError.id === id) return rpcError;
    // Without an id it can only mean the one request of this exchange.
    if (!isRequestId(rpcError.id) && status < 500 && (stateless || probe)) return { ...rpcError, id };
  }
  if (!probe) return undefined;
  const message = `HTTP ${status} ${statusTextOf(status)}`.trim();
  return { jsonrpc: '2.0', id, error: { code: RPC_CODES.methodNotFound, message } };
}
