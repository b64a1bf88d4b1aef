import type { Readable } from 'node:stream';

/** Bytes that are kept for the reader. */
const MAX_WAITING = 1024 * 1024;
/** Approximate cost of a chunk besides its bytes. Without it, a server that writes single bytes would cost much more. */
const CHUNK_COST = 200;

/**
 * The server's stderr as a stream that never blocks the server: the bytes as they came, secrets included. Up to 1 MiB of unread output is
 * kept, then the oldest is dropped, and a line in the stream says how much. (A `PassThrough`, as in the official SDKs, stops reading after
 * some 16 KiB, and the server blocks at its next write once the pipe is full.)
 */
export class StderrStream {
  /** Exists before the server is started, and ends with the connection. */
  readonly readable: Readable;
  readonly #waiting: Uint8Array[] = [];
  #cost = 0;
  #dropped = 0;
  #isWanted = false;
  #hasEnded = false;

  constructor() {
    const stream = process.getBuiltinModule('node:stream');
    this.readable = new stream.Readable({
      read: () => {
        this.#isWanted = true;
        this.#deliver();
      },
      destroy: (error, callback) => {
        this.#waiting.length = 0;
        this.#cost = 0;
        callback(error);
      },
    });
  }

  append(chunk: Uint8Array): void {
    if (this.#hasEnded || this.readable.destroyed || chunk.length === 0) return;
    this.#waiting.push(chunk);
    this.#cost += chunk.length + CHUNK_COST;
    this.#deliver();
    while (this.#cost > MAX_WAITING) this.#dropped += this.#take()?.length ?? 0;
  }

  end(): void {
    if (this.#hasEnded || this.readable.destroyed) return;
    this.#hasEnded = true;
    this.#deliver();
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#waiting.shift();
    if (chunk !== undefined) this.#cost -= chunk.length + CHUNK_COST;
    return chunk;
  }

  #deliver(): void {
    if (this.#isWanted && this.#dropped > 0) {
      const notice = `\n[${this.#dropped} bytes of stderr were dropped, not read in time]\n`;
      this.#dropped = 0;
      this.#isWanted = this.readable.push(Buffer.from(notice));
    }
    while (this.#isWanted) {
      const chunk = this.#take();
      if (chunk === undefined) break;
      this.#isWanted = this.readable.push(chunk);
    }
    if (this.#hasEnded && this.#dropped === 0 && this.#waiting.length === 0) this.readable.push(null);
  }
}
