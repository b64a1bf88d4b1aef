import { type Delivery, type ErrorCode, FittingsError, type Transport } from '@mcp-fittings/client-core';
import { classifySystemError, restateError } from '@mcp-fittings/toolbox/errors';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';

/** The request that failed, and where. */
export interface FailedRequest {
  /** Name of the server. */
  readonly server: string;
  /** The transport, which knows why it has ended. */
  readonly transport: Transport;
  /** The signal of the caller. */
  readonly signal?: AbortSignal | undefined;
  /** The failed operation in error messages: `tools/call`, for example. */
  readonly what: string;
}

/** Codes with which a server refuses a request before it does anything. */
const REFUSED_UNDONE: ReadonlySet<number> = new Set([
  RPC_CODES.parseError,
  RPC_CODES.invalidRequest,
  RPC_CODES.methodNotFound,
  RPC_CODES.invalidParams,
  // The user has to visit a page first.
  -32042,
  // Revision 2026-07-28: a header does not match the body; a required capability is not declared.
  -32_020,
  -32_021,
]);

/** Returns the error for a JSON-RPC error response. */
export function rpcError(failed: FailedRequest, code: number, text: string, cause: unknown): FittingsError {
  const { server, what } = failed;
  return new FittingsError(
    'RPC_ERROR',
    `The server "${server}" answered ${what} with an error: ${sanitizeText(text)}`,
    {
      server,
      cause,
      delivery: REFUSED_UNDONE.has(code) ? 'rejected' : 'unknown',
      details: { rpcCode: code },
    },
  );
}

/** Returns the error for a request without a response in time. */
export function timeoutError(failed: FailedRequest, cause: unknown): FittingsError {
  const { server, what } = failed;
  return new FittingsError('TIMEOUT', `The server "${server}" did not answer ${what} in time.`, {
    server,
    cause,
    delivery: 'unknown',
    hint: 'Increase the timeout of the server or of the call, or look into its log.',
  });
}

/** Returns the error for a request whose connection has ended, with the reason that the transport gives. */
export function connectionError(failed: FailedRequest, delivery: Delivery, cause?: unknown): FittingsError {
  const { server, transport, what } = failed;
  const reason = transport.closeReason;
  const { code, kind, retryable, hint, details } = reason ?? ({} as Partial<FittingsError>);
  const text =
    reason?.message ?? `The connection to the server "${server}" ended before it answered ${what}.`;
  return new FittingsError(code ?? 'CONNECTION_LOST', text, {
    server,
    cause: reason ?? cause,
    delivery,
    kind,
    retryable,
    hint,
    details,
  });
}

export function abortedError(failed: FailedRequest, cause: unknown, delivery: Delivery): FittingsError {
  const { server, what } = failed;
  return new FittingsError('ABORTED', `The caller aborted ${what} on the server "${server}".`, {
    server,
    cause,
    delivery,
  });
}

/** Returns the error for everything else: a `FittingsError` unchanged, an abort, a system error, or a malformed result. */
export function otherError(failed: FailedRequest, cause: unknown, fallback: ErrorCode): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const { server, signal, what } = failed;
  if (signal?.aborted === true) return abortedError(failed, cause, 'unknown');
  const text = cause instanceof Error ? cause.message : String(cause);
  return new FittingsError(
    classifySystemError(cause) ?? fallback,
    `Could not complete ${what} with the server "${server}": ${sanitizeText(text)}`,
    {
      server,
      cause,
      delivery: 'unknown',
    },
  );
}

/**
 * Returns the failure of a request that the server has received, with a `delivery`: that of a callback, which answers the server
 * meanwhile, has none. If the caller has aborted the request, that is why the callback has failed.
 */
export function withDelivery(failed: FailedRequest, error: FittingsError): FittingsError {
  if (error.delivery !== undefined) return error;
  const { signal } = failed;
  return signal?.aborted === true
    ? abortedError(failed, signal.reason, 'unknown')
    : restateError(error, { delivery: 'unknown' });
}

/** Returns what something other than a request failed with as a `FittingsError`, with the code `code` if it is not one. */
export function asFittingsError(
  server: string,
  cause: unknown,
  code: ErrorCode = 'PROTOCOL_VIOLATION',
): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  return new FittingsError(code, `The server "${server}" failed: ${sanitizeText(text)}`, { server, cause });
}
