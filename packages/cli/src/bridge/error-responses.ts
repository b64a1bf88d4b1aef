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
  const { code, kind, retryable, delivery } = error;
  const message = sanitizeText(textForUser(error), { maxLength: LONGEST_MESSAGE, multiline: true });
  return {
    jsonrpc: '2.0',
    id,
    error: { code: RPC_CODES.internalError, message, data: { code, kind, retryable, delivery } },
  };
}

/** Returns the message of an error with the hint for a user of the command line. */
export function textForUser(error: FittingsError): string {
  const hint = hintForUser(error);
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}
