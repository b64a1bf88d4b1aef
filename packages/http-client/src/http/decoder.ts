import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

/** Decodes a compressed body. */
export interface BodyDecoder {
  /** Returns `false` if the caller should wait for `onDrain` before it writes more. */
  write(bytes: Uint8Array): boolean;
  /** The compressed body is complete; `onEnd` follows when all of it is decoded. */
  end(): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

export interface DecoderEvents {
  onData(bytes: Uint8Array): void;
  onDrain(): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** Returns `'identity'` for a body that is not compressed, and undefined for an unsupported encoding. */
export function createDecoder(
  contentEncoding: string,
  events: DecoderEvents,
): BodyDecoder | 'identity' | undefined {
  switch (contentEncoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return decoderOf(() => createGunzip(), events);
    case 'deflate':
      return decoderOf(inflateFor, events);
    case 'br':
      return decoderOf(() => createBrotliDecompress(), events);
    default:
      return undefined;
  }
}

/** `deflate` means the zlib format, but some servers send raw deflate; the first byte tells which. */
const inflateFor = (first: number): Transform =>
  (first & 0x0f) === 8 ? createInflate() : createInflateRaw();

function decoderOf(make: (firstByte: number) => Transform, events: DecoderEvents): BodyDecoder {
  let stream: Transform | undefined;
  let paused = false;

  const open = (firstByte: number): Transform => {
    const made = make(firstByte);
    made.on('data', (bytes: Uint8Array) => events.onData(bytes));
    made.on('drain', () => events.onDrain());
    made.once('end', () => events.onEnd());
    made.once('error', (error) => events.onError(error));
    if (paused) made.pause();
    return made;
  };

  return {
    write(bytes) {
      const [first] = bytes;
      if (first === undefined) return true;
      stream ??= open(first);
      return stream.write(bytes);
    },
    end() {
      if (stream === undefined) events.onEnd();
      else stream.end();
    },
    pause() {
      paused = true;
      stream?.pause();
    },
    resume() {
      paused = false;
      stream?.resume();
    },
    destroy() {
      stream?.destroy();
    },
  };
}
