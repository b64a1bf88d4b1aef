import type { Readable } from 'node:stream';

/** Who reads a stream, and when it should not go on. */
export interface PacedReader {
  /** True: it was a lot of work, and {@link whenReady} says when more may come. */
  push(chunk: Uint8Array): boolean;
  whenReady(task: () => void): void;
}

/**
 * Hands on what a server writes. While the reader has too much to do the stream stands still; otherwise Node would hand
 * on dozens of chunks in one go, and other servers would wait.
 */
export function readPaced(stream: Readable, reader: PacedReader): void {
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Uint8Array) => {
    if (!reader.push(chunk)) return;
    stream.pause();
    reader.whenReady(() => stream.resume());
  });
}
