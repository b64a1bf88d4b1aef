/** Numeric JSON-RPC error codes that a client meets. @see https://www.jsonrpc.org/specification#error_object */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;
