import type { ErrorCode, FittingsErrorOptions } from '@mcp-fittings/client-core';
import { type Redactor, sanitizeText } from '@mcp-fittings/toolbox/text';

/** Close codes that this package sends. @see https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
  tryAgainLater: 1013,
} as const;

interface CloseMeaning {
  readonly error: ErrorCode;
  readonly text: string;
  readonly retryable?: boolean;
}

/** Meaning of the close codes that a peer sends. @see https://www.iana.org/assignments/websocket */
const MEANINGS: Readonly<Record<number, CloseMeaning>> = {
  1000: { error: 'CONNECTION_LOST', text: 'The peer closed the connection' },
  1001: { error: 'CONNECTION_LOST', text: 'The peer is shutting down' },
  1002: { error: 'PROTOCOL_VIOLATION', text: 'The peer reports a violation of the WebSocket protocol' },
  1003: { error: 'PROTOCOL_VIOLATION', text: 'The peer does not accept this type of data' },
  1005: { error: 'CONNECTION_LOST', text: 'The peer closed the connection without a reason' },
  1006: { error: 'CONNECTION_LOST', text: 'The connection was lost without a close frame' },
  1007: { error: 'PROTOCOL_VIOLATION', text: 'The peer reports a malformed message' },
  1008: {
    error: 'CONNECTION_LOST',
    text: 'The peer closed the connection because of its policy',
    retryable: false,
  },
  1009: { error: 'MESSAGE_TOO_LARGE', text: 'A message is larger than the peer accepts' },
  1010: { error: 'PROTOCOL_VIOLATION', text: 'The peer requires a WebSocket extension' },
  1011: { error: 'CONNECTION_LOST', text: 'The peer reports an internal error' },
  1012: { error: 'CONNECTION_LOST', text: 'The peer is restarting' },
  1013: { error: 'CONNECTION_LOST', text: 'The peer is overloaded and asks to reconnect later' },
  1014: { error: 'CONNECTION_LOST', text: 'A gateway received an invalid response from the server' },
  3000: { error: 'AUTH_REJECTED', text: 'The peer rejected the credentials' },
  3003: { error: 'AUTH_REJECTED', text: 'The peer denied access with these credentials' },
};

/** Returns the error for a connection that the peer closed, as arguments of its constructor. */
export function meaningOfClose(
  code: number,
  reason: string,
  redact: Redactor,
): readonly [ErrorCode, string, FittingsErrorOptions] {
  const { error, text, retryable } = MEANINGS[code] ?? {
    error: 'CONNECTION_LOST',
    text: 'The peer closed the connection',
  };
  const closeReason = sanitizeText(redact(reason, 'end'), { maxLength: 123 });
  const message = closeReason === '' ? `${text} (${code}).` : `${text} (${code}: ${closeReason}).`;
  return [
    error,
    message,
    { retryable, details: { closeCode: code, closeReason: closeReason === '' ? undefined : closeReason } },
  ];
}
