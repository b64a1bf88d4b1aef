import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { RPC_CODES, type JSONRPCErrorResponse, type RequestId } from '@mcp-fittings/client-core/transport';

import { hintForPerson } from '../output/hint-for-person.js';

const LONGEST_MESSAGE = 2000;

/**
 * What a client gets for a request that could not be forwarded or got no answer. The text is the one that a person
 * would read at the terminal, because many clients show nothing else.
 */
export function errorAnswer(id: RequestId, error: unknown): JSONRPCErrorResponse {
  if (!(error instanceof FittingsError)) {
    return {
      jsonrpc: '2.0',
      id,
      error: { code: RPC_CODES.internalError, message: 'The bridge could not forward the request.' },
    };
  }
  const { code, kind, retryable, delivery, message } = error;
  const hint = hintForPerson(error);
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
