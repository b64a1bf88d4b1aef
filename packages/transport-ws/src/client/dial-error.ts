import { type ErrorCode, FittingsError, TransportError } from '@mcp-fittings/client-core';
import { connectionHint, connectionMessage, originOf } from '@mcp-fittings/toolbox/connect';
import { classifySystemError, systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { sanitizeText } from '@mcp-fittings/toolbox/text';

const NOT_MCP = 'Check that the server speaks MCP over WebSocket with the subprotocol `mcp`.';

/**
 * Converts an error of Node.js or `ws` while connecting to a `TransportError`; a `FittingsError` is returned unchanged. It names the
 * origin only. `connected`: whether the socket was open, so that the upgrade was requested.
 */
export function dialError(cause: unknown, url: URL, connected: boolean): unknown {
  if (cause instanceof FittingsError || !(cause instanceof Error)) return cause;
  const code = codeOf(cause, connected);
  const origin = originOf(url);
  const incompatible = code === 'ENDPOINT_INCOMPATIBLE';
  const message = incompatible
    ? `${origin} did not open a WebSocket: ${sanitizeText(cause.message)}.`
    : connectionMessage(code, origin, connected);
  return new TransportError(code, message, {
    cause,
    delivery: incompatible ? 'rejected' : 'not-sent',
    hint: connectionHint(code, url, cause) ?? (incompatible ? NOT_MCP : undefined),
    details: { url: origin },
  });
}

function codeOf(cause: Error, connected: boolean): ErrorCode {
  // A Unix socket or a named pipe that does not exist.
  if (!connected && systemErrorCode(cause) === 'ENOENT') return 'CONNECTION_REFUSED';
  const system = classifySystemError(cause);
  if (system === 'CONNECTION_LOST' && !connected) return 'CONNECT_FAILED';
  if (system !== undefined) return system;
  // The HTTP parser of Node.js failed.
  if ('code' in cause && typeof cause.code === 'string' && cause.code.startsWith('HPE_'))
    return 'PROTOCOL_VIOLATION';
  // `ws` refused the response to the handshake, for which it has no codes.
  return 'ENDPOINT_INCOMPATIBLE';
}
