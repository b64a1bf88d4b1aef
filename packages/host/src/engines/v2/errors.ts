import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import {
  connectionError,
  otherError,
  rpcError,
  timeoutError,
  type FailureOptions,
} from '../shared/request-errors.js';

/** What SDK v2 rejected with, as ours. Local failures have text codes, those of the wire numeric ones. */
export function fromSdkError(error: unknown, context: FailureOptions): FittingsError {
  if (context.signal?.aborted === true) return otherError(context, error, 'PROTOCOL_VIOLATION');
  if (error instanceof ProtocolError) return rpcError(context, error.code, error.message, error);
  if (error instanceof SdkError) return fromLocalError(error, context);
  return otherError(context, error, 'PROTOCOL_VIOLATION');
}

function fromLocalError(error: SdkError, context: FailureOptions): FittingsError {
  const { server, what } = context;
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return timeoutError(context, error);
    case SdkErrorCode.ConnectionClosed:
      return connectionError(context, 'unknown', error);
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.NotInitialized:
      return connectionError(context, 'not-sent', error);
    case SdkErrorCode.CapabilityNotSupported:
      // The SDK asks this of itself only when the server answered with a question that nobody here can answer.
      return new FittingsError(
        'CAPABILITY_MISSING',
        `"${server}" asks for what this host does not offer: ${sanitizeText(error.message)}`,
        {
          server,
          cause: error,
          delivery: 'rejected',
        },
      );
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return new FittingsError('CAPABILITY_MISSING', `"${server}" does not support ${what}.`, {
        server,
        cause: error,
        delivery: 'not-sent',
      });
    case SdkErrorCode.EraNegotiationFailed:
      return eraError(error, context);
    default:
      return otherError(context, error, 'PROTOCOL_VIOLATION');
  }
}

/** The probe's own failure hides the true one, which is its cause when the transport threw it. */
function eraError(error: SdkError, context: FailureOptions): FittingsError {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof FittingsError) return cause;
  }
  const { server, transport } = context;
  if (transport.closeReason !== undefined) return connectionError(context, 'not-sent', error);
  const text = `"${server}" and this client agreed on no protocol revision: ${sanitizeText(error.message)}`;
  return new FittingsError('VERSION_UNSUPPORTED', text, { server, cause: error, delivery: 'rejected' });
}
