import { fstatSync, writeSync } from 'node:fs';
import type { TerminalStream } from '../process-io.js';
import type { TextOutput } from './output.js';

/** The part of the process that a command needs which does little but print. */
export interface DirectIo {
  readonly stdout: TextOutput & TerminalStream;
  readonly stderr: TextOutput & TerminalStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * Returns the stdout or stderr of this process for a command that is about to end. A file, a pipe and a socket are written to at once:
 * a stream for them takes a fifth of the time of Node.js itself. Anything else is a stream, and so is what does not take all of a
 * text, as a pipe does that is full and does not block.
 *
 * A write may block, and no signal is handled meanwhile, so that none should be listened for: it then ends the process.
 */
export function directOutput(descriptor: 1 | 2): TextOutput & TerminalStream {
  if (!isPlain(descriptor)) return opened(descriptor);
  let stream: NodeJS.WriteStream | undefined;
  return {
    write(text) {
      const rest = stream === undefined ? written(descriptor, Buffer.from(text)) : text;
      if (rest.length > 0) (stream ??= opened(descriptor)).write(rest);
    },
  };
}

/** Writes, and returns what could not be written: a stream reports the error, or waits. */
function written(descriptor: number, bytes: Buffer): Buffer {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch {
    // A part of it may be written.
  }
  return rest;
}

/** Opens the stream. What its reader has closed needs no more output, as in `fittings list tools | head`. */
function opened(descriptor: 1 | 2): NodeJS.WriteStream {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Windows has terminals that do not say so, and pipes that are written to asynchronously. */
function isPlain(descriptor: number): boolean {
  if (process.platform === 'win32') return false;
  const state = fstatSync(descriptor);
  return state.isFile() || state.isFIFO() || state.isSocket();
}
