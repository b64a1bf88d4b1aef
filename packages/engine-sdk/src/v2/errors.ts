import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import {
  connectionError,
  otherError,
  rpcError,
  timeoutError,
  type FailedRequest,
} from '@mcp-fittings/host/engine';
import { fromPlainError } from '../sdk-errors.js';

/** Converts an error of SDK v2. Local failures have string codes, error responses numeric ones. */
export function fromSdkError(error: unknown, failed: FailedRequest): FittingsError {
  if (failed.signal?.aborted === true) return otherError(failed, error, 'PROTOCOL_VIOLATION');
  if (error instanceof ProtocolError) return rpcError(failed, error.code, error.message, error);
  if (error instanceof SdkError) return fromLocalError(error, failed);
  return fromPlainError(error, failed);
}

function fromLocalError(error: SdkError, failed: FailedRequest): FittingsError {
  const { server, what } = failed;
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return timeoutError(failed, error);
    case SdkErrorCode.ConnectionClosed:
      return connectionError(failed, 'unknown', error);
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.NotInitialized:
      return connectionError(failed, 'not-sent', error);
    case SdkErrorCode.CapabilityNotSupported:
      // The SDK throws this only if the result of the server asks for input that the host has no callback for.
      return new FittingsError(
        'CAPABILITY_MISSING',
        `The server "${server}" requires a capability that this host does not have: ${sanitizeText(error.message)}`,
        {
          server,
          cause: error,
          delivery: 'rejected',
        },
      );
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return new FittingsError('CAPABILITY_MISSING', `The server "${server}" does not support ${what}.`, {
        server,
        cause: error,
        delivery: 'not-sent',
      });
    case SdkErrorCode.EraNegotiationFailed:
      return eraError(error, failed);
    default:
      return otherError(failed, error, 'PROTOCOL_VIOLATION');
  }
}

/** Returns the error that made the probe fail, which is its cause if the transport threw it. */
function eraError(error: SdkError, failed: FailedRequest): FittingsError {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof FittingsError) return cause;
  }
  const { server, transport } = failed;
  if (transport.closeReason !== undefined) return connectionError(failed, 'not-sent', error);
  const text = `The server "${server}" and this client have no protocol revision in common: ${sanitizeText(error.message)}`;
  return new FittingsError('VERSION_UNSUPPORTED', text, { server, cause: error, delivery: 'rejected' });
}
