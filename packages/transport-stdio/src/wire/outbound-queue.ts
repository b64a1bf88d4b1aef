import type { Writable } from 'node:stream';
import type { RequestId } from '@mcp-fittings/client-core';
import type { TransportController } from '@mcp-fittings/toolbox/base-transport';

/** Messages on their way into a pipe: joined when they are sent together, kept while the pipe is full. */
export interface OutboundQueue {
  /**
   * Adds a message. Returns undefined if the queue is full. An empty queue accepts a message of any size. The promise resolves when the pipe has accepted the message, and rejects only with an error of {@link end}; that
   * rejection need not be handled. Throws such an error after the end. `id` is that of a request, which counts as unsent
   * until it is written, and is not written if it was given up before.
   */
  offer(text: string, id?: RequestId): Promise<void> | undefined;
  /** Starts to write to the pipe. */
  attach(pipe: Writable): void;
  /** Is true if writing the very first message failed, because the other end was closed already. */
  readonly wasRefused: boolean;
  /** Stops writing, and rejects what is left. */
  end(errorFor: (delivery: 'not-sent' | 'unknown') => Error): void;
}

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

export function createOutboundQueue(
  maxBytes: number,
  controller: Pick<TransportController, 'isPending' | 'markSent' | 'markUnsent'>,
): OutboundQueue {
  let queue: Batch[] = [];
  let pipe: Writable | undefined;
  let scheduled = false;
  let full = false;
  /** Messages of this turn, and after how many of them the next early write is due. */
  let offered = 0;
  let early = EARLY_MESSAGES;
  let hasDelivered = false;
  let wasRefused = false;
  let ended: ((delivery: 'not-sent' | 'unknown') => Error) | undefined;
  /** Bytes that the pipe has not accepted yet. */
  let waitingBytes = 0;
  const inPipe = new Set<Batch>();

  /** The last batch, while the text still fits into it. */
  const batchFor = (text: string): Batch => {
    const last = queue.at(-1);
    if (last !== undefined && last.length + text.length <= JOINED_LENGTH) return last;
    const batch = newBatch();
    queue.push(batch);
    return batch;
  };

  const settle = (batch: Batch): void => {
    waitingBytes -= batch.bytes;
    batch.resolve();
  };

  const write = (to: Writable, batch: Batch): void => {
    let joined = '';
    for (const { text, id } of batch.messages) {
      if (id !== undefined && !controller.isPending(id)) continue;
      if (id !== undefined) controller.markSent(id);
      joined += text;
    }
    if (joined === '') return settle(batch);
    inPipe.add(batch);
    // If each character is one byte, as in nearly all JSON, UTF-8 equals Latin-1, which is copied instead of encoded.
    const encoding = batch.bytes === batch.length ? 'latin1' : 'utf8';
    full = !to.write(joined, encoding, (error) => {
      // A broken pipe: the end of the process will tell why, so the messages wait for `end`.
      if (error !== null && error !== undefined) {
        wasRefused ||= !hasDelivered;
        return;
      }
      hasDelivered = true;
      inPipe.delete(batch);
      settle(batch);
    });
  };

  const flush = (): void => {
    if (pipe === undefined || full || ended !== undefined) return;
    const batches = queue;
    queue = [];
    for (const [index, batch] of batches.entries()) {
      write(pipe, batch);
      if (!full) continue;
      queue = [...batches.slice(index + 1), ...queue];
      return;
    }
  };

  const flushTurn = (): void => {
    scheduled = false;
    offered = 0;
    early = EARLY_MESSAGES;
    flush();
  };

  return {
    offer(text, id) {
      if (ended !== undefined) throw ended('not-sent');
      const bytes = Buffer.byteLength(text);
      if (waitingBytes > 0 && waitingBytes + bytes > maxBytes) return undefined;
      waitingBytes += bytes;
      const batch = batchFor(text);
      batch.messages.push({ text, id });
      batch.length += text.length;
      batch.bytes += bytes;
      if (id !== undefined) controller.markUnsent(id);
      // After the promise jobs of this turn, so that everything they send goes out in one write.
      if (!scheduled) process.nextTick(flushTurn);
      scheduled = true;
      if (++offered >= early) {
        early *= EARLY_GROWTH;
        flush();
      }
      return batch.taken;
    },
    attach(to) {
      pipe = to;
      to.on('drain', () => {
        full = false;
        flush();
      });
      flush();
    },
    get wasRefused() {
      return wasRefused;
    },
    end(errorFor) {
      ended = errorFor;
      for (const batch of queue) batch.reject(errorFor('not-sent'));
      for (const batch of inPipe) batch.reject(errorFor('unknown'));
      queue = [];
      inPipe.clear();
    },
  };
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
