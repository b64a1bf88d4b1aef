import type { Socket } from 'node:net';
import type { Intake } from '@mcp-fittings/toolbox/base-transport';
import { createLineReader } from '@mcp-fittings/toolbox/framing';
import { MAX_LINE_BYTES } from './protocol.js';

/** Bytes that may wait for a peer to read them, besides the longest line. A peer that is further behind is disconnected. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

/** JSON lines over a socket. */
export type LineSocket = ReturnType<typeof createLineSocket>;

export interface LineSocketOptions {
  readonly socket: Socket;
  /** Called with each line. */
  readonly onLine: (text: string) => void;
  /** The queue of the lines, which slows the reading. Default: they are handled as they arrive. */
  readonly intake?: Intake<string> | undefined;
  /** Longest line that is read, in bytes. Default {@link MAX_LINE_BYTES}. */
  readonly maxBytes?: number | undefined;
  /** Called once, when the connection has ended in either direction. */
  readonly onEnd: () => void;
}

export function createLineSocket(options: LineSocketOptions) {
  const { socket, onLine, intake, onEnd, maxBytes = MAX_LINE_BYTES } = options;
  let hasEnded = false;
  let longest = 0;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    onEnd();
  };
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => {
      // Both ends are ours: a line that cannot be read means that the rest cannot be trusted either.
      if (line.kind === 'text') onLine(line.text);
      else socket.destroy();
    },
  });
  socket.on('data', (chunk: Buffer) => {
    if (intake === undefined) reader.push(chunk);
    else intake.read(socket, () => reader.push(chunk));
  });
  socket.on('end', end);
  socket.on('close', end);
  // `close` follows.
  socket.on('error', () => undefined);
  return {
    /** Writes a line. Resolves when the system has it. Rejects if the connection has ended, or the peer is too far behind. */
    write(line: string): Promise<void> {
      return new Promise((resolve, reject) => {
        if (hasEnded || socket.destroyed) return reject(new Error('The socket is closed.'));
        if (socket.writableLength > MAX_UNREAD_BYTES + longest) {
          socket.destroy();
          return reject(new Error('The peer does not read.'));
        }
        longest = Math.max(longest, line.length);
        socket.write(line, (error) => (error ? reject(error) : resolve()));
      });
    },
    /** Ends the connection after what was written. */
    end: () => void socket.end(),
    /** Ends it at once. */
    destroy: () => void socket.destroy(),
  };
}
