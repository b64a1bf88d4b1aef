import type { ErrorCode } from '@mcp-fittings/client-core/transport';

interface FrameFault {
  readonly error: ErrorCode;
  readonly text: string;
  /** What `ws` tells the peer. */
  readonly closeCode: number;
}

const TOO_LARGE = { error: 'MESSAGE_TOO_LARGE', closeCode: 1009 } as const;
const FAULTS: Readonly<Record<string, FrameFault>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: {
    ...TOO_LARGE,
    text: 'The peer sent a message over `maxMessageBytes`.',
  },
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: { ...TOO_LARGE, text: 'The peer announced an impossible length.' },
  WS_ERR_TOO_MANY_BUFFERED_PARTS: {
    error: 'MESSAGE_TOO_LARGE',
    text: 'The peer cut a message into too many fragments.',
    closeCode: 1008,
  },
  WS_ERR_INVALID_UTF8: {
    error: 'PROTOCOL_VIOLATION',
    text: 'The peer sent text that is not UTF-8.',
    closeCode: 1007,
  },
};
/** zlib's code for a message that does not inflate. */
const NOT_DEFLATED = /^Z_/;

/** What a frame that `ws` refused means; undefined when the error is about something else than a frame. */
export function faultOfFrame(error: Error): FrameFault | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (Object.hasOwn(FAULTS, code)) return FAULTS[code];
  if (NOT_DEFLATED.test(code)) {
    return {
      error: 'PROTOCOL_VIOLATION',
      text: 'The peer sent a message that does not inflate.',
      closeCode: 1007,
    };
  }
  if (!code.startsWith('WS_ERR_')) return undefined;
  return { error: 'PROTOCOL_VIOLATION', text: 'The peer sent a malformed frame.', closeCode: 1002 };
}
