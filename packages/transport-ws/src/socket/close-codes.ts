import {
  sanitizeText,
  type ErrorCode,
  type FittingsErrorOptions,
  type Redactor,
} from '@mcp-fittings/client-core/transport';

/** Codes that this package sends. @see https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
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

/** What a peer says with a close code. @see https://www.iana.org/assignments/websocket */
const MEANINGS: Readonly<Record<number, CloseMeaning>> = {
  1000: { error: 'CONNECTION_LOST', text: 'The peer ended the connection' },
  1001: { error: 'CONNECTION_LOST', text: 'The peer is going away' },
  1002: { error: 'PROTOCOL_VIOLATION', text: 'The peer says that we broke the WebSocket protocol' },
  1003: { error: 'PROTOCOL_VIOLATION', text: 'The peer does not accept this kind of data' },
  1005: { error: 'CONNECTION_LOST', text: 'The peer ended the connection and gave no reason' },
  1006: { error: 'CONNECTION_LOST', text: 'The connection broke without a close frame' },
  1007: { error: 'PROTOCOL_VIOLATION', text: 'The peer says that a message of ours is malformed' },
  1008: { error: 'CONNECTION_LOST', text: 'A policy of the peer ended the connection', retryable: false },
  1009: { error: 'MESSAGE_TOO_LARGE', text: 'A message of ours is larger than the peer accepts' },
  1010: { error: 'PROTOCOL_VIOLATION', text: 'The peer misses an extension' },
  1011: { error: 'CONNECTION_LOST', text: 'The peer met an internal error' },
  1012: { error: 'CONNECTION_LOST', text: 'The peer restarts' },
  1013: { error: 'CONNECTION_LOST', text: 'The peer asks to come back later' },
  1014: { error: 'CONNECTION_LOST', text: 'A gateway got no proper answer from the server' },
  3000: { error: 'AUTH_REJECTED', text: 'The peer does not accept the credentials' },
  3003: { error: 'AUTH_REJECTED', text: 'The peer forbids it with these credentials' },
};

/** The error that a close of the peer means, as arguments for its constructor. */
export function meaningOfClose(
  code: number,
  reason: string,
  redact: Redactor,
): readonly [ErrorCode, string, FittingsErrorOptions] {
  const { error, text, retryable } = MEANINGS[code] ?? {
    error: 'CONNECTION_LOST',
    text: 'The peer ended the connection',
  };
  const closeReason = sanitizeText(redact(reason, 'end'), { maxLength: 123 });
  const message = closeReason === '' ? `${text} (${code}).` : `${text} (${code}: ${closeReason}).`;
  return [
    error,
    message,
    { retryable, details: { closeCode: code, closeReason: closeReason === '' ? undefined : closeReason } },
  ];
}
