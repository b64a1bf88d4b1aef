import type { Duplex } from 'node:stream';
import type { RequestId, TransportError } from '@mcp-fittings/client-core';
import type { TransportController } from '@mcp-fittings/toolbox/base-transport';
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

/** Queue of messages to send, in order. */
export interface Outbox {
  /** Resolves when the operating system has taken the message. `id`: id of a request. */
  send(text: string, id?: RequestId): Promise<void>;
  /** Number of messages that the operating system has taken. */
  readonly flushed: number;
  /** Rejects all waiting messages. */
  end(error: TransportError): void;
}

interface Waiting {
  readonly text: string;
  readonly bytes: number;
  readonly id: RequestId | undefined;
  readonly resolve: () => void;
  readonly reject: (error: TransportError) => void;
}

/** Creates the queue. `socket` is corked, so that the messages of one turn are sent in one write. */
export function createOutbox(webSocket: WebSocket, socket: Duplex, options: OutboxOptions): Outbox {
  let waiting: Waiting[] = [];
  /** Index of the first waiting message. */
  let first = 0;
  let waitingBytes = 0;
  let flushed = 0;
  let corked = false;

  const uncork = (): void => {
    corked = false;
    socket.uncork();
  };
  const cork = (): void => {
    if (corked) return;
    corked = true;
    socket.cork();
    // After the microtasks of this turn, which may send more.
    process.nextTick(uncork);
  };

  const hand = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      cork();
      webSocket.send(text, (error) => {
        if (error) return reject(options.lost(error));
        flushed += 1;
        resolve();
        if (first < waiting.length) drain();
      });
    });

  const drain = (): void => {
    while (webSocket.bufferedAmount < HIGH_WATER_BYTES && webSocket.readyState === webSocket.OPEN) {
      const item = waiting[first];
      if (item === undefined) break;
      first += 1;
      waitingBytes -= item.bytes;
      if (item.id !== undefined) {
        // Given up while it waited, and reported as not sent.
        if (!options.controller.isPending(item.id)) {
          item.resolve();
          continue;
        }
        options.controller.markSent(item.id);
      }
      hand(item.text).then(item.resolve, item.reject);
    }
    // Copying only when half of it is sent keeps the cost linear.
    if (first * 2 > waiting.length) {
      waiting = waiting.slice(first);
      first = 0;
    }
  };

  return {
    send(text, id) {
      if (webSocket.readyState !== webSocket.OPEN) return Promise.reject(options.closing());
      const buffered = webSocket.bufferedAmount;
      const nothingWaits = first === waiting.length;
      if (nothingWaits && buffered === 0) return hand(text);
      const bytes = Buffer.byteLength(text);
      if (buffered + waitingBytes + bytes > options.maxQueuedBytes) return Promise.reject(options.full());
      if (nothingWaits && buffered < HIGH_WATER_BYTES) return hand(text);
      waitingBytes += bytes;
      if (id !== undefined) options.controller.markUnsent(id);
      return new Promise((resolve, reject) => waiting.push({ text, bytes, id, resolve, reject }));
    },
    get flushed() {
      return flushed;
    },
    end(error) {
      const dropped = waiting.slice(first);
      waiting = [];
      first = 0;
      waitingBytes = 0;
      for (const item of dropped) item.reject(error);
    },
  };
}
