import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  JSONRPCResultResponse,
  RequestId,
} from '../contracts/json-rpc.js';

/** What a value is as a JSON-RPC message; `invalid` when it is none. */
export type MessageShape = 'request' | 'notification' | 'result' | 'error' | 'invalid';

/**
 * Tells the shape of a parsed value by hand: a schema union costs a hundred times as much on every message.
 * It checks the envelope, never the meaning of `params` or `result`.
 * @see https://www.jsonrpc.org/specification
 */
export function shapeOf(value: unknown): MessageShape {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return 'invalid';
  const { id, method, params, result, error } = value;
  if (method !== undefined) {
    if (typeof method !== 'string' || result !== undefined || error !== undefined) return 'invalid';
    if (params !== undefined && !isRecord(params)) return 'invalid';
    if (id === undefined) return 'notification';
    return isRequestId(id) ? 'request' : 'invalid';
  }
  if (result !== undefined)
    return isRequestId(id) && error === undefined && isRecord(result) ? 'result' : 'invalid';
  if (!isRecord(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string')
    return 'invalid';
  return id === undefined || id === null || isRequestId(id) ? 'error' : 'invalid';
}

/** A well-formed message of any shape. */
export function isMessage(value: unknown): value is JSONRPCMessage {
  return shapeOf(value) !== 'invalid';
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return !isResponse(message) && 'id' in message && message.id !== undefined;
}

export function isNotification(message: JSONRPCMessage): message is JSONRPCNotification {
  return !isResponse(message) && !isRequest(message);
}

export function isResponse(message: JSONRPCMessage): message is JSONRPCResponse {
  // Objects that were never JSON may have members without a value.
  return !('method' in message) || message.method === undefined;
}

export function isResultResponse(message: JSONRPCMessage): message is JSONRPCResultResponse {
  return 'result' in message && message.result !== undefined;
}

export function isErrorResponse(message: JSONRPCMessage): message is JSONRPCErrorResponse {
  return 'error' in message && message.error !== undefined;
}

/** Whether a value is what JSON calls an object: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Numeric JSON-RPC error codes that a client meets. @see https://www.jsonrpc.org/specification#error_object */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;
