import type { Readable } from 'node:stream';

/** The server's stderr as a stream: the bytes as they came, secrets included. */
export interface StderrStream {
  /** Exists before the server is started, and ends with the connection. */
  readonly readable: Readable;
  append(chunk: Uint8Array): void;
  end(): void;
}

/** Bytes that are kept for the reader. */
const MAX_WAITING = 1024 * 1024;
/** Approximate cost of a chunk besides its bytes. Without it, a server that writes single bytes would cost much more. */
const CHUNK_COST = 200;

/**
 * Creates a stream that never blocks the server: up to 1 MiB of unread output is kept, then the oldest is dropped, and a line
 * in the stream says how much. (A `PassThrough`, as in the official SDKs, stops reading after some 16 KiB, and the server
 * blocks at its next write once the pipe is full.)
 */
export function createStderrStream(): StderrStream {
  const waiting: Uint8Array[] = [];
  let cost = 0;
  let dropped = 0;
  let isWanted = false;
  let hasEnded = false;

  const take = (): Uint8Array | undefined => {
    const chunk = waiting.shift();
    if (chunk !== undefined) cost -= chunk.length + CHUNK_COST;
    return chunk;
  };
  const deliver = (): void => {
    if (isWanted && dropped > 0) {
      const notice = `\n[${String(dropped)} bytes of stderr were dropped because they were not read in time]\n`;
      dropped = 0;
      isWanted = readable.push(Buffer.from(notice));
    }
    while (isWanted) {
      const chunk = take();
      if (chunk === undefined) break;
      isWanted = readable.push(chunk);
    }
    if (hasEnded && dropped === 0 && waiting.length === 0) readable.push(null);
  };
  const stream = process.getBuiltinModule('node:stream');
  const readable = new stream.Readable({
    read() {
      isWanted = true;
      deliver();
    },
    destroy(error, callback) {
      waiting.length = 0;
      callback(error);
    },
  });

  return {
    readable,
    append(chunk) {
      if (hasEnded || readable.destroyed || chunk.length === 0) return;
      waiting.push(chunk);
      cost += chunk.length + CHUNK_COST;
      deliver();
      for (;;) {
        if (cost <= MAX_WAITING) return;
        dropped += take()?.length ?? 0;
      }
    },
    end() {
      if (hasEnded || readable.destroyed) return;
      hasEnded = true;
      deliver();
    },
  };
}
