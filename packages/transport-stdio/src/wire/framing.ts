import type { ErrorCode } from '@mcp-fittings/client-core';

/** Delimits messages in a stream of bytes. */
export interface Framing {
  /** Returns what goes on the wire for one message, as text. */
  frame(json: string): string;
  /** Returns the function that takes the bytes of the stream. */
  createReader(sink: FrameSink, maxBytes: number): (chunk: Uint8Array) => void;
}

/** A rejected message. Its first and last characters may tell which request it answers. */
export interface RejectedMessage {
  readonly code: 'MESSAGE_TOO_LARGE' | 'MESSAGE_INVALID';
  readonly problem: string;
  readonly head: string;
  /** Absent while the message still arrives. */
  readonly tail?: string | undefined;
}

/** Receives what a reader finds. */
export interface FrameSink {
  /** A text that may be a message. */
  message(text: string): void;
  /** Something else, which is skipped; `head` returns how it begins. */
  noise(head: () => string): void;
  /** Returns true if the request that this message answers was found and has failed. */
  rejected(message: RejectedMessage): boolean;
  /** The rest of the stream cannot be read. */
  broken(code: ErrorCode, problem: string): void;
}

/** A message this many times larger than the limit ends the connection: it may be endless. */
export const HOPELESS_FACTOR = 4;
