import type { ErrorCode } from '@mcp-fittings/client-core';

interface FrameFault {
  readonly error: ErrorCode;
  readonly text: string;
  /** Close code that `ws` sends to the peer. */
  readonly closeCode: number;
}

const TOO_LARGE = { error: 'MESSAGE_TOO_LARGE', closeCode: 1009 } as const;
const FAULTS: Readonly<Record<string, FrameFault>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: {
    ...TOO_LARGE,
    text: 'The peer sent a message larger than `maxMessageBytes`.',
  },
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: {
    ...TOO_LARGE,
    text: 'The peer sent a frame with an invalid length.',
  },
  WS_ERR_TOO_MANY_BUFFERED_PARTS: {
    error: 'MESSAGE_TOO_LARGE',
    text: 'The peer split a message into too many fragments.',
    closeCode: 1008,
  },
  WS_ERR_INVALID_UTF8: {
    error: 'PROTOCOL_VIOLATION',
    text: 'The peer sent text that is not UTF-8.',
    closeCode: 1007,
  },
};
/** Error codes of zlib. */
const NOT_DEFLATED = /^Z_/;

/** Returns the error for a frame that `ws` refused; undefined if the error is not about a frame. */
export function faultOfFrame(error: Error): FrameFault | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (Object.hasOwn(FAULTS, code)) return FAULTS[code];
  if (NOT_DEFLATED.test(code)) {
    return {
      error: 'PROTOCOL_VIOLATION',
      text: 'The peer sent a compressed message that is corrupt.',
      closeCode: 1007,
    };
  }
  if (!code.startsWith('WS_ERR_')) return undefined;
  return { error: 'PROTOCOL_VIOLATION', text: 'The peer sent a malformed frame.', closeCode: 1002 };
}
