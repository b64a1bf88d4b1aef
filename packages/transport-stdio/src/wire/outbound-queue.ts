import type { Writable } from 'node:stream';
import type { RequestId } from '@mcp-fittings/client-core';
import type { TransportController } from '@mcp-fittings/toolbox/base-transport';

/** Bytes that are written to the pipe at once, and the outcome. */
interface Batch {
  readonly messages: { readonly text: string; readonly id: RequestId | undefined }[];
  length: number;
  bytes: number;
  readonly taken: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Messages are joined up to this many UTF-16 units. */
const JOINED_LENGTH = 65_536;
/**
 * After so many messages of one turn, and again after {@link EARLY_GROWTH} times as many, they do not wait for the end of the turn: the
 * server handles the first while the last are sent. With 64 calls in flight, both sides would otherwise wait for each other:
 * 1.2 to 1.6 times as long as writing each message by itself; it is 1.0 to 1.3 with early writes.
 */
const EARLY_MESSAGES = 16;
const EARLY_GROWTH = 3;

/** Messages on their way into a pipe: joined when they are sent together, kept while the pipe is full. */
export class OutboundQueue {
  /** Is true if writing the very first message failed, because the other end was closed already. */
  wasRefused = false;
  readonly #maxBytes: number;
  readonly #controller: Pick<TransportController, 'isPending' | 'markSent' | 'markUnsent'>;
  readonly #queue: Batch[] = [];
  readonly #inPipe = new Set<Batch>();
  #pipe: Writable | undefined;
  #isScheduled = false;
  #isFull = false;
  /** Messages of this turn, and after how many of them the next early write is due. */
  #offered = 0;
  #early = EARLY_MESSAGES;
  #hasDelivered = false;
  #ended: ((delivery: 'not-sent' | 'unknown') => Error) | undefined;
  /** Bytes that the pipe has not accepted yet. */
  #waitingBytes = 0;

  constructor(
    maxBytes: number,
    controller: Pick<TransportController, 'isPending' | 'markSent' | 'markUnsent'>,
  ) {
    this.#maxBytes = maxBytes;
    this.#controller = controller;
  }

  /**
   * Adds a message. Returns undefined if the queue is full. An empty queue accepts a message of any size. The promise resolves when the pipe has accepted the message, and rejects only with an error of {@link end}; that
   * rejection need not be handled. Throws such an error after the end. `id` is that of a request, which counts as unsent
   * until it is written, and is not written if it was given up before.
   */
  offer(text: string, id?: RequestId): Promise<void> | undefined {
    if (this.#ended !== undefined) throw this.#ended('not-sent');
    const bytes = Buffer.byteLength(text);
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > this.#maxBytes) return undefined;
    this.#waitingBytes += bytes;
    const batch = this.#batchFor(text);
    batch.messages.push({ text, id });
    batch.length += text.length;
    batch.bytes += bytes;
    if (id !== undefined) this.#controller.markUnsent(id);
    // After the promise jobs of this turn, so that everything they send goes out in one write.
    if (!this.#isScheduled) process.nextTick(() => this.#flushTurn());
    this.#isScheduled = true;
    if (++this.#offered >= this.#early) {
      this.#early *= EARLY_GROWTH;
      this.#flush();
    }
    return batch.taken;
  }

  /** Starts to write to the pipe. */
  attach(pipe: Writable): void {
    this.#pipe = pipe;
    pipe.on('drain', () => {
      this.#isFull = false;
      this.#flush();
    });
    this.#flush();
  }

  /** Stops writing, and rejects what is left. */
  end(errorFor: (delivery: 'not-sent' | 'unknown') => Error): void {
    this.#ended = errorFor;
    for (const batch of this.#queue.splice(0)) batch.reject(errorFor('not-sent'));
    for (const batch of this.#inPipe) batch.reject(errorFor('unknown'));
    this.#inPipe.clear();
  }

  /** The last batch, while the text still fits into it. */
  #batchFor(text: string): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.length + text.length <= JOINED_LENGTH) return last;
    const batch = newBatch();
    this.#queue.push(batch);
    return batch;
  }

  #flushTurn(): void {
    this.#isScheduled = false;
    this.#offered = 0;
    this.#early = EARLY_MESSAGES;
    this.#flush();
  }

  #flush(): void {
    while (this.#pipe !== undefined && !this.#isFull) {
      const batch = this.#queue.shift();
      if (batch === undefined) return;
      this.#write(this.#pipe, batch);
    }
  }

  #write(pipe: Writable, batch: Batch): void {
    let joined = '';
    for (const { text, id } of batch.messages) {
      if (id !== undefined && !this.#controller.isPending(id)) continue;
      if (id !== undefined) this.#controller.markSent(id);
      joined += text;
    }
    if (joined === '') return this.#settle(batch);
    this.#inPipe.add(batch);
    // If each character is one byte, as in nearly all JSON, UTF-8 equals Latin-1, which is copied instead of encoded.
    const encoding = batch.bytes === batch.length ? 'latin1' : 'utf8';
    this.#isFull = !pipe.write(joined, encoding, (error) => {
      // A broken pipe: the end of the process will tell why, so the messages wait for `end`.
      if (error !== null && error !== undefined) {
        this.wasRefused ||= !this.#hasDelivered;
        return;
      }
      this.#hasDelivered = true;
      this.#inPipe.delete(batch);
      this.#settle(batch);
    });
  }

  #settle(batch: Batch): void {
    this.#waitingBytes -= batch.bytes;
    batch.resolve();
  }
}

function newBatch(): Batch {
  let resolve: () => void = NOT_YET;
  let reject: (error: Error) => void = NOT_YET;
  const taken = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  taken.catch(NOT_YET);
  return { messages: [], length: 0, bytes: 0, taken, resolve, reject };
}

const NOT_YET = (): void => undefined;
