import type { JSONRPCMessage } from '../contracts/json-rpc.js';
import { isResponse } from '../wire/messages.js';

/**
 * Delivers messages in order, one at a time, and delays a response by two microtasks if a notification came right before it.
 *
 * The SDK clients run notification handlers one microtask late, but settle responses at once and then forget the progress
 * handler: progress that shares a chunk with its response would be lost.
 */
export interface OrderedDelivery {
  push(message: JSONRPCMessage): void;
  /** Delivers delayed messages at once, because the connection ends. */
  flush(): void;
  /** Drops delayed messages and all later ones. */
  stop(): void;
}

/** The memory of delivered messages is freed in steps, so that it costs little per message. */
const FREE_AT = 1024;

/** `hand` must not throw. */
export function createOrderedDelivery(hand: (message: JSONRPCMessage) => void): OrderedDelivery {
  return new Delivery(hand);
}

class Delivery implements OrderedDelivery {
  readonly #hand: (message: JSONRPCMessage) => void;
  #queue: JSONRPCMessage[] = [];
  /** Index of the first message that is not delivered. */
  #next = 0;
  #handing = false;
  #notified = false;
  #stopped = false;

  constructor(hand: (message: JSONRPCMessage) => void) {
    this.#hand = hand;
  }

  push(message: JSONRPCMessage): void {
    if (this.#stopped) return;
    if (this.#handing || this.#next < this.#queue.length || this.#mustWait(message)) {
      this.#queue.push(message);
      return this.#drain();
    }
    this.#handing = true;
    this.#pass(message);
    this.#handing = false;
    if (this.#next < this.#queue.length) this.#drain();
  }

  flush(): void {
    for (let message = this.#first(); message !== undefined; message = this.#first()) {
      this.#next++;
      this.#hand(message);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#queue = [];
    this.#next = 0;
  }

  #first(): JSONRPCMessage | undefined {
    return this.#queue[this.#next];
  }

  #mustWait(message: JSONRPCMessage): boolean {
    return this.#notified && isResponse(message);
  }

  #pass(message: JSONRPCMessage): void {
    if (!this.#notified && !isResponse(message)) {
      this.#notified = true;
      queueMicrotask(() => queueMicrotask(() => this.#settle()));
    }
    this.#hand(message);
  }

  #settle(): void {
    this.#notified = false;
    this.#drain();
  }

  #drain(): void {
    if (this.#handing) return;
    this.#handing = true;
    for (
      let message = this.#first();
      message !== undefined && !this.#mustWait(message);
      message = this.#first()
    ) {
      this.#next++;
      this.#pass(message);
    }
    this.#handing = false;
    const { length } = this.#queue;
    if (this.#next === length || (this.#next >= FREE_AT && this.#next * 2 >= length)) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
  }
}
