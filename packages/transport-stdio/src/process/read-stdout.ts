import type { Readable } from 'node:stream';

/**
 * Hands on what a server writes. When `onChunk` says that it was a lot of work, the event loop gets a turn before the
 * next chunk; otherwise Node would hand on dozens in one go.
 */
export function readStdout(stdout: Readable, onChunk: (chunk: Uint8Array) => boolean): void {
  stdout.on('error', () => undefined);
  stdout.on('data', (chunk: Uint8Array) => {
    if (!onChunk(chunk)) return;
    stdout.pause();
    setImmediate(() => stdout.resume());
  });
}
