import type { JSONRPCMessage, JSONRPCResponse } from '@mcp-fittings/client-core';
import { isResponse } from '../messages.js';

/**
 * Delivers messages in order, one at a time, and delays a response by two microtasks if the message before it is not one.
 *
 * The SDK clients run notification handlers one microtask late, but settle responses at once and then forget the progress
 * handler: progress that shares a chunk with its response would be lost.
 */
export interface OrderedDelivery {
  pushResponse(message: JSONRPCResponse): void;
  /** Adds a request or a notification. */
  pushOther(message: JSONRPCMessage): void;
  /** Delivers delayed messages at once, because the connection ends. */
  flush(): void;
  /** Drops delayed messages and all later ones. */
  stop(): void;
}

/** The memory of delivered messages is freed in steps, so that it costs little per message. */
const FREE_AT = 1024;

/** Gets the messages. Its functions must not throw. */
export interface DeliveryTarget {
  response(message: JSONRPCResponse): void;
  /** Takes a request or a notification. */
  other(message: JSONRPCMessage): void;
}

export function createOrderedDelivery(target: DeliveryTarget): OrderedDelivery {
  return new Delivery(target);
}

class Delivery implements OrderedDelivery {
  readonly #target: DeliveryTarget;
  #queue: JSONRPCMessage[] = [];
  /** Index of the first message that is not delivered. */
  #next = 0;
  #handing = false;
  /** The last message that was delivered is not a response. */
  #notified = false;
  /** A response is being delayed. */
  #delaying = false;
  #stopped = false;

  constructor(target: DeliveryTarget) {
    this.#target = target;
  }

  pushResponse(message: JSONRPCResponse): void {
    if (this.#stopped) return;
    if (this.#notified || this.#isBusy) return this.#enqueue(message);
    this.#handing = true;
    this.#target.response(message);
    this.#handing = false;
    if (this.#next < this.#queue.length) this.#drain();
  }

  pushOther(message: JSONRPCMessage): void {
    if (this.#stopped) return;
    if (this.#isBusy) return this.#enqueue(message);
    this.#notified = true;
    this.#handing = true;
    this.#target.other(message);
    this.#handing = false;
    if (this.#next < this.#queue.length) this.#drain();
  }

  flush(): void {
    for (let message = this.#first(); message !== undefined; message = this.#first()) {
      this.#next++;
      if (isResponse(message)) this.#target.response(message);
      else this.#target.other(message);
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

  get #isBusy(): boolean {
    return this.#handing || this.#next < this.#queue.length;
  }

  #enqueue(message: JSONRPCMessage): void {
    this.#queue.push(message);
    this.#drain();
  }

  /** The jobs are queued for the response, and not for each notification, as most have no response right behind them. */
  #delay(): void {
    if (this.#delaying) return;
    this.#delaying = true;
    queueMicrotask(() => queueMicrotask(() => this.#endDelay()));
  }

  #endDelay(): void {
    this.#delaying = false;
    this.#notified = false;
    this.#drain();
  }

  #drain(): void {
    if (this.#handing) return;
    this.#handing = true;
    for (let message = this.#first(); message !== undefined; message = this.#first()) {
      if (!isResponse(message)) {
        this.#next++;
        this.#notified = true;
        this.#target.other(message);
      } else if (!this.#notified) {
        this.#next++;
        this.#target.response(message);
      } else {
        this.#delay();
        break;
      }
    }
    this.#handing = false;
    const { length } = this.#queue;
    if (this.#next === length || (this.#next >= FREE_AT && this.#next * 2 >= length)) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
  }
}
