import {
  codeOfSystemError,
  FittingsError,
  sanitizeText,
  TransportError,
  type ErrorCode,
} from '@mcp-fittings/client-core';

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  CONNECTION_REFUSED: 'Nobody listens at',
  HOST_NOT_FOUND: 'The host name does not resolve of',
  TLS_FAILED: 'The TLS handshake failed with',
  TIMEOUT: 'No connection in time to',
};
const HINTS: Partial<Record<ErrorCode, string>> = {
  CONNECTION_REFUSED: 'Check that the server runs and that host and port are right.',
  HOST_NOT_FOUND: 'Check the spelling of the host, and whether a VPN or a proxy is needed.',
  TLS_FAILED: 'If the server has a certificate of a private authority, name that authority in `ca`.',
  ENDPOINT_INCOMPATIBLE: 'Check that the server speaks MCP over WebSocket, with the sub-protocol `mcp`.',
};

/** The `TransportError` for what Node or `ws` reported while connecting; ours pass. Names the origin only. */
export function dialError(cause: unknown, url: URL, server: string | undefined): unknown {
  if (cause instanceof FittingsError || !(cause instanceof Error)) return cause;
  const code = codeOf(cause);
  const sentence = SENTENCES[code];
  const message =
    sentence === undefined
      ? `No WebSocket to ${url.origin}: ${sanitizeText(cause.message)}.`
      : `${sentence} ${url.origin}.`;
  return new TransportError(code, message, {
    server,
    cause,
    hint: HINTS[code],
    details: { url: url.origin },
  });
}

function codeOf(cause: Error): ErrorCode {
  const system = codeOfSystemError(cause);
  if (system !== undefined) return system === 'CONNECTION_LOST' ? 'CONNECT_FAILED' : system;
  // Node's parser found no HTTP, or `ws`, which has no codes for it, refused the answer to the handshake.
  return 'ENDPOINT_INCOMPATIBLE';
}
