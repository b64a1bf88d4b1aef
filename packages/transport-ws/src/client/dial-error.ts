import {
  codeOfSystemError,
  FittingsError,
  sanitizeText,
  TransportError,
  type ErrorCode,
} from '@mcp-fittings/client-core';
import { connectionHint, connectionSentence } from '@mcp-fittings/net-policy';

const NOT_MCP = 'Check that the server speaks MCP over WebSocket, with the sub-protocol `mcp`.';

/** The `TransportError` for what Node or `ws` reported while connecting; ours pass. Names the origin only. */
export function dialError(cause: unknown, url: URL): unknown {
  if (cause instanceof FittingsError || !(cause instanceof Error)) return cause;
  const code = codeOf(cause);
  const incompatible = code === 'ENDPOINT_INCOMPATIBLE';
  const message = incompatible
    ? `${url.origin} did not open a WebSocket: ${sanitizeText(cause.message)}.`
    : connectionSentence(code, url.origin, false);
  return new TransportError(code, message, {
    cause,
    delivery: incompatible ? 'rejected' : 'not-sent',
    hint: connectionHint(code, url, cause) ?? (incompatible ? NOT_MCP : undefined),
    details: { url: url.origin },
  });
}

function codeOf(cause: Error): ErrorCode {
  const system = codeOfSystemError(cause);
  if (system !== undefined) return system === 'CONNECTION_LOST' ? 'CONNECT_FAILED' : system;
  // Node's parser found no HTTP, or `ws`, which has no codes for it, refused the answer to the handshake.
  return 'ENDPOINT_INCOMPATIBLE';
}
