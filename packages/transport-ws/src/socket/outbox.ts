import type { Duplex } from 'node:stream';
import type { RequestId, TransportController, TransportError } from '@mcp-fittings/client-core/transport';
import type { WebSocket } from 'ws';

/** Bytes that may lie between `ws` and the operating system; what exceeds them waits here and is not sent yet. */
const HIGH_WATER_BYTES = 1024 * 1024;

export interface OutboxOptions {
  /** A message that would make the unsent bytes exceed this is refused, unless nothing else waits. */
  readonly maxQueuedBytes: number;
  /** Told which requests wait. */
  readonly controller: Pick<TransportController, 'markSent' | 'markUnsent'>;
  readonly full: () => TransportError;
  /** The peer has begun to close: the message can't be sent any more. */
  readonly closing: () => TransportError;
  readonly lost: (cause: Error) => TransportError;
}

/** Messages on their way to the socket, in order. */
export interface Outbox {
  /** Settles when the operating system took the message. `id`: of a request. */
  send(text: string, id?: RequestId): Promise<void>;
  /** How many messages the operating system took. */
  readonly flushed: number;
  /** Rejects what waits. */
  end(error: TransportError): void;
}

interface Waiting {
  readonly text: string;
  readonly bytes: number;
  readonly id: RequestId | undefined;
  readonly resolve: () => void;
  readonly reject: (error: TransportError) => void;
}

/** `socket` is what lies beneath, for messages of one turn to go out in one write. */
export function createOutbox(webSocket: WebSocket, socket: Duplex, options: OutboxOptions): Outbox {
  let waiting: Waiting[] = [];
  /** Where the first message that waits stands; what lies before it is handed on. */
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
    // After the promise jobs of this turn, which may send more.
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
      if (item.id !== undefined) options.controller.markSent(item.id);
      hand(item.text).then(item.resolve, item.reject);
    }
    // Cut when half of it is done with, so that the copying is paid for by what was sent.
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
