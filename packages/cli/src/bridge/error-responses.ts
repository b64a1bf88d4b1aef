import { FittingsError, type JSONRPCErrorResponse, type RequestId } from '@mcp-fittings/client-core';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { hintForUser } from '../output/hints.js';

const LONGEST_MESSAGE = 2000;

/**
 * Creates the response to a request that could not be forwarded or got no answer. Its message includes the hint for a
 * user of the command line, because many clients show nothing else.
 */
export function errorResponse(id: RequestId, error: unknown): JSONRPCErrorResponse {
  if (!(error instanceof FittingsError)) {
    return {
      jsonrpc: '2.0',
      id,
      error: { code: RPC_CODES.internalError, message: 'The bridge could not forward the request.' },
    };
  }
  const { code, kind, retryable, delivery, message } = error;
  const hint = hintForUser(error);
  const text = hint === undefined ? message : `${message} ${hint}`;
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: RPC_CODES.internalError,
      message: sanitizeText(text, { maxLength: LONGEST_MESSAGE, multiline: true }),
      data: { code, kind, retryable, delivery },
    },
  };
}

/** Creates an HTTP response with a JSON-RPC error, as MCP clients expect it. */
export function refusal(
  status: number,
  code: number,
  message: string,
  id: RequestId | null = null,
): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}

/** Codes that the official SDKs use for the same errors. */
export const HTTP_REFUSALS = { general: -32_000, sessionNotFound: -32_001 } as const;
