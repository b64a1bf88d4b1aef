import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { afterTurn } from '@mcp-fittings/toolbox/base-transport';

/** Reads the mail of one side of a pair. */
export interface MailReader {
  take(message: JSONRPCMessage): void;
  /** The other side has closed, and all its messages have been taken. */
  end(): void;
}

/** Milliseconds for which two sides that answer each other in promise jobs may keep timers and sockets waiting. */
const TURN_MS = 10;
/** Deliveries after which the time is looked at: they take about a millisecond. */
const DELIVERIES_PER_LOOK = 256;

/** A queue from one side of a pair to the other: in order, and never delivered within the call that put the message there. */
export class Mailbox {
  /** Most mailboxes never have a second message. An array for the first one costs a call 0.15 µs. */
  #first: JSONRPCMessage | undefined;
  #others: JSONRPCMessage[] = [];
  #hasEnd = false;
  #reader: MailReader | undefined;
  #isScheduled = false;
  #isClosed = false;
  /** Deliveries since the time was looked at. */
  #deliveries = 0;
  /** The time at the last look. It stays the same in a test that has stopped the clock. */
  #lookedAt = 0;
  /** Start of the last turn that this mailbox has waited for. */
  #turnStart = 0;
  /** Its callbacks are cheaper than `queueMicrotask`, for which Node.js creates an `AsyncResource` each time. */
  readonly #resolved = Promise.resolve();
  readonly #deliver = (): void => {
    const first = this.#first;
    const others = this.#others;
    const hasEnd = this.#hasEnd;
    this.#isScheduled = false;
    this.#first = undefined;
    if (others.length > 0) this.#others = [];
    this.#hasEnd = false;
    if (first !== undefined) this.#reader?.take(first);
    for (const message of others) this.#reader?.take(message);
    if (hasEnd) this.#reader?.end();
  };

  get isClosed(): boolean {
    return this.#isClosed;
  }

  put(message: JSONRPCMessage): void {
    if (this.#isClosed) return;
    if (this.#first === undefined) this.#first = message;
    else this.#others.push(message);
    this.#schedule();
  }

  /** Puts the end of all messages. */
  putEnd(): void {
    if (this.#isClosed) return;
    this.#hasEnd = true;
    this.#schedule();
  }

  /** Passes the mail to `reader` from now on, also what came before. */
  open(reader: MailReader): void {
    this.#reader = reader;
    if (this.#first !== undefined || this.#hasEnd) this.#schedule();
  }

  /** Drops what is left, and all later mail. */
  close(): void {
    this.#isClosed = true;
    this.#first = undefined;
    this.#others = [];
    this.#hasEnd = false;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#reader === undefined) return;
    this.#isScheduled = true;
    if (this.#hasTime()) void this.#resolved.then(this.#deliver);
    else this.#deliverNextTurn();
  }

  #hasTime(): boolean {
    if (++this.#deliveries < DELIVERIES_PER_LOOK) return true;
    this.#deliveries = 0;
    const now = performance.now();
    const isStopped = now === this.#lookedAt;
    this.#lookedAt = now;
    return !isStopped && now - this.#turnStart < TURN_MS;
  }

  #deliverNextTurn(): void {
    afterTurn(() => {
      this.#turnStart = performance.now();
      this.#deliver();
    });
  }
}
