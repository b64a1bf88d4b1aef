import type { Duplex } from 'node:stream';
import type { RequestId, TransportError } from '@mcp-fittings/client-core';
import { Fifo, type TransportController } from '@mcp-fittings/toolbox/base-transport';
import type { WebSocket } from 'ws';

/** Bytes that `ws` may buffer. Further messages wait here, where they still count as not sent. */
const HIGH_WATER_BYTES = 1024 * 1024;

export interface OutboxOptions {
  /** A message that would exceed this number of unsent bytes is refused, unless the queue is empty. */
  readonly maxQueuedBytes: number;
  /** Learns which requests wait. */
  readonly controller: Pick<TransportController, 'isPending' | 'markSent' | 'markUnsent'>;
  readonly full: () => TransportError;
  /** Error for a message when the peer has started to close. */
  readonly closing: () => TransportError;
  readonly lost: (cause: Error) => TransportError;
}

interface Waiting {
  readonly text: string;
  readonly bytes: number;
  readonly id: RequestId | undefined;
  readonly resolve: () => void;
  readonly reject: (error: TransportError) => void;
}

/** Queue of messages to send, in order. The socket is corked, so that the messages of one turn are sent in one write. */
export class Outbox {
  /** Number of messages that the operating system has taken. */
  flushed = 0;
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #options: OutboxOptions;
  readonly #waiting = new Fifo<Waiting>();
  #waitingBytes = 0;
  #isCorked = false;

  constructor(webSocket: WebSocket, socket: Duplex, options: OutboxOptions) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#options = options;
  }

  /** Resolves when the operating system has taken the message. `id`: id of a request. */
  send(text: string, id?: RequestId): Promise<void> {
    const { maxQueuedBytes, controller, closing, full } = this.#options;
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return Promise.reject(closing());
    const buffered = this.#webSocket.bufferedAmount;
    const nothingWaits = this.#waiting.isEmpty;
    if (nothingWaits && buffered === 0) return this.#hand(text);
    const bytes = Buffer.byteLength(text);
    if (buffered + this.#waitingBytes + bytes > maxQueuedBytes) return Promise.reject(full());
    if (nothingWaits && buffered < HIGH_WATER_BYTES) return this.#hand(text);
    this.#waitingBytes += bytes;
    if (id !== undefined) controller.markUnsent(id);
    return new Promise((resolve, reject) => this.#waiting.push({ text, bytes, id, resolve, reject }));
  }

  /** Rejects all waiting messages. */
  end(error: TransportError): void {
    this.#waitingBytes = 0;
    for (let item = this.#waiting.shift(); item !== undefined; item = this.#waiting.shift())
      item.reject(error);
  }

  #hand(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#cork();
      this.#webSocket.send(text, (error) => {
        if (error) return reject(this.#options.lost(error));
        this.flushed += 1;
        resolve();
        this.#drain();
      });
    });
  }

  #drain(): void {
    const { controller } = this.#options;
    const { OPEN } = this.#webSocket;
    while (this.#webSocket.bufferedAmount < HIGH_WATER_BYTES && this.#webSocket.readyState === OPEN) {
      const item = this.#waiting.shift();
      if (item === undefined) return;
      this.#waitingBytes -= item.bytes;
      // Given up while it waited, and reported as not sent.
      if (item.id !== undefined && !controller.isPending(item.id)) {
        item.resolve();
        continue;
      }
      if (item.id !== undefined) controller.markSent(item.id);
      this.#hand(item.text).then(item.resolve, item.reject);
    }
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    // After the microtasks of this turn, which may send more.
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }
}
