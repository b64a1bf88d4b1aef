import { classifySystemError, FittingsError, type Delivery, type ErrorCode } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { RPC_CODES, type Transport } from '@mcp-fittings/client-core/transport';

export interface FailureOptions {
  readonly server: string;
  readonly transport: Transport;
  readonly signal?: AbortSignal | undefined;
  /** For messages: `tools/call`. */
  readonly what: string;
}

/** The server read the request and refused it before doing anything. */
const REFUSED_UNDONE: ReadonlySet<number> = new Set([
  RPC_CODES.parseError,
  RPC_CODES.invalidRequest,
  RPC_CODES.methodNotFound,
  RPC_CODES.invalidParams,
  // The person has to visit a page before.
  -32042,
  // 2026-07-28: a header does not fit the body; a capability that the request needs is not declared.
  -32_020,
  -32_021,
]);

/** The server answered with a JSON-RPC error. */
export function rpcError(context: FailureOptions, code: number, text: string, cause: unknown): FittingsError {
  const { server, what } = context;
  return new FittingsError('RPC_ERROR', `"${server}" answered ${what} with an error: ${sanitizeText(text)}`, {
    server,
    cause,
    delivery: REFUSED_UNDONE.has(code) ? 'rejected' : 'unknown',
    details: { rpcCode: code },
  });
}

export function timeoutError(context: FailureOptions, cause: unknown): FittingsError {
  const { server, what } = context;
  return new FittingsError('TIMEOUT', `"${server}" did not answer ${what} in time.`, {
    server,
    cause,
    delivery: 'unknown',
    hint: 'Raise the timeout of this server or of the call, or look at its log for what keeps it busy.',
  });
}

/** The connection is gone: says why, as far as the transport knows. */
export function connectionError(context: FailureOptions, delivery: Delivery, cause: unknown): FittingsError {
  const { server, transport, what } = context;
  const reason = transport.closeReason;
  const { code, kind, retryable, hint, details } = reason ?? ({} as Partial<FittingsError>);
  const text = reason?.message ?? `The connection to "${server}" ended before it answered ${what}.`;
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

/** Both SDKs throw a plain `Error` when the server chose a revision that they do not know. */
const REVISION_REFUSED = "Server's protocol version is not supported";

/** What has no meaning of its own in any SDK: ours as it is, an abort, a system error, a result nobody can read. */
export function otherError(context: FailureOptions, cause: unknown, fallback: ErrorCode): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const { server, signal, what } = context;
  if (signal?.aborted === true) {
    return new FittingsError('ABORTED', `The caller gave up ${what} on "${server}".`, {
      server,
      cause,
      delivery: 'unknown',
    });
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  return new FittingsError(
    classifySystemError(cause) ?? (text.startsWith(REVISION_REFUSED) ? 'VERSION_UNSUPPORTED' : fallback),
    `${what} on "${server}" failed: ${sanitizeText(text)}`,
    {
      server,
      cause,
      delivery: 'unknown',
    },
  );
}
