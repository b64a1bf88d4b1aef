import {
  classifySystemError,
  FittingsError,
  sanitizeText,
  TransportError,
  type ErrorCode,
} from '@mcp-fittings/client-core/transport';
import { connectionHint, connectionSentence } from '@mcp-fittings/remote-policy';

const NOT_MCP = 'Check that the server speaks MCP over WebSocket, with the sub-protocol `mcp`.';

/**
 * The `TransportError` for what Node or `ws` reported while connecting; ours pass. Names the origin only. `connected`: there was a
 * socket, over which the upgrade was asked for.
 */
export function dialError(cause: unknown, url: URL, connected: boolean): unknown {
  if (cause instanceof FittingsError || !(cause instanceof Error)) return cause;
  const code = codeOf(cause, connected);
  const incompatible = code === 'ENDPOINT_INCOMPATIBLE';
  const message = incompatible
    ? `${url.origin} did not open a WebSocket: ${sanitizeText(cause.message)}.`
    : connectionSentence(code, url.origin, connected);
  return new TransportError(code, message, {
    cause,
    delivery: incompatible ? 'rejected' : 'not-sent',
    hint: connectionHint(code, url, cause) ?? (incompatible ? NOT_MCP : undefined),
    details: { url: url.origin },
  });
}

function codeOf(cause: Error, connected: boolean): ErrorCode {
  const system = classifySystemError(cause);
  if (system === 'CONNECTION_LOST' && !connected) return 'CONNECT_FAILED';
  if (system !== undefined) return system;
  // Node's parser found no HTTP.
  if ('code' in cause && typeof cause.code === 'string' && cause.code.startsWith('HPE_'))
    return 'PROTOCOL_VIOLATION';
  // `ws`, which has no codes for it, refused the answer to the handshake.
  return 'ENDPOINT_INCOMPATIBLE';
}
