import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { FittingsError } from '@mcp-fittings/client-core';
import {
  connectionError,
  otherError,
  rpcError,
  timeoutError,
  type FailureContext,
} from '../shared/request-errors.js';

// As plain numbers: an McpError may carry any number of the wire.
const REQUEST_TIMEOUT: number = ErrorCode.RequestTimeout;
const CONNECTION_CLOSED: number = ErrorCode.ConnectionClosed;

/** What SDK v1 rejected with, as ours. It marks its own errors with the numeric codes of the wire. */
export function fromSdkError(error: unknown, context: FailureContext): FittingsError {
  if (context.signal?.aborted !== true && error instanceof McpError) {
    if (error.code === REQUEST_TIMEOUT) return timeoutError(context, error);
    if (error.code === CONNECTION_CLOSED) return connectionError(context, 'unknown', error);
    return rpcError(context, error.code, error.message.replace(/^MCP error -?\d+: /, ''), error);
  }
  if (error instanceof Error && error.message === 'Not connected')
    return connectionError(context, 'not-sent', error);
  return otherError(context, error, 'PROTOCOL_VIOLATION');
}
