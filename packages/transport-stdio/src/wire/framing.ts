import type { ErrorCode } from '@mcp-fittings/client-core/transport';

/** How messages are told apart in a stream of bytes. */
export interface Framing {
  /** The bytes on the wire, as text, of one message. */
  frame(json: string): string;
  createReader(sink: FrameSink, maxBytes: number): FrameReader;
}

export interface FrameReader {
  push(chunk: Uint8Array): void;
}

/** A message that is not taken. Its first and last characters may tell whom it answers. */
export interface Refusal {
  readonly code: 'MESSAGE_TOO_LARGE' | 'MESSAGE_INVALID';
  readonly problem: string;
  readonly head: string;
  /** Absent while the message still arrives. */
  readonly tail?: string | undefined;
}

/** Where a reader puts what it finds. */
export interface FrameSink {
  /** The text of what may be a message. */
  message(text: string): void;
  /** Something else, passed over; `head` is how it began. */
  noise(head: () => string): void;
  /** True: whoever waited for this message was told. */
  refused(refusal: Refusal): boolean;
  /** What follows can't be understood any more. */
  broken(code: ErrorCode, problem: string): void;
}

/** A refused message so many times larger than the limit ends the connection: it may never end. */
export const HOPELESS_FACTOR = 4;
