import type { JSONRPCErrorResponse } from '@mcp-fittings/client-core';
import { isRecord, isRequestId, RPC_CODES } from '../messages.js';

/**
 * Returns the response that a value stands for if it answers a request with an `error` that is not an error of JSON-RPC, such as a
 * text: its reason is worth more than that it is malformed. The original is in `data`.
 */
export function readMalformedError(value: unknown): JSONRPCErrorResponse | undefined {
  if (!isRecord(value) || 'method' in value) return undefined;
  const { id, error, result = null } = value;
  if (!isRequestId(id) || result !== null || error === undefined || error === null) return undefined;
  const { code, message }: Readonly<Record<string, unknown>> = isRecord(error) ? error : {};
  const number = typeof code === 'string' ? Number(code) : code;
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: Number.isInteger(number) ? Number(number) : RPC_CODES.internalError,
      message: textOf(message) ?? textOf(error) ?? JSON.stringify(error),
      data: error,
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
