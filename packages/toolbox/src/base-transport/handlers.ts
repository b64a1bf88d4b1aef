import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { isResponse } from '../messages.js';

type Handlers = Pick<Transport, 'onmessage' | 'onerror' | 'onclose'>;

/**
 * Remembers the handlers of the client that uses the connection. Both SDKs set the handlers of a client before they call
 * `start()`, so a second client, whose `start()` rejects, has replaced them by then.
 */
export class HandlerGuard {
  readonly #transport: Handlers;
  #onmessage: Handlers['onmessage'];
  #onerror: Handlers['onerror'];
  #onclose: Handlers['onclose'];

  constructor(transport: Handlers) {
    this.#transport = transport;
  }

  /** Remembers the current handlers. */
  keep(): void {
    const { onmessage, onerror, onclose } = this.#transport;
    this.#onmessage = onmessage;
    this.#onerror = onerror;
    this.#onclose = onclose;
  }

  /** Restores the handlers that {@link keep} has remembered. */
  restore(): void {
    const transport = this.#transport;
    // Not set to undefined, which the contract forbids under `exactOptionalPropertyTypes`.
    if (this.#onmessage === undefined) delete transport.onmessage;
    else transport.onmessage = this.#onmessage;
    if (this.#onerror === undefined) delete transport.onerror;
    else transport.onerror = this.#onerror;
    if (this.#onclose === undefined) delete transport.onclose;
    else transport.onclose = this.#onclose;
  }
}

/** The memory of delivered messages is freed in steps, so that it costs little per message. */
const FREE_AT = 1024;

/**
 * Delivers messages in order, one at a time, and delays a response by two microtasks if the message before it is not one.
 *
 * The SDK clients run notification handlers one microtask late, but settle responses at once and then forget the progress
 * handler: progress that shares a chunk with its response would be lost.
 */
export class OrderedDelivery {
  /** Takes a message. Must not throw. */
  readonly #deliver: (message: JSONRPCMessage, answers: boolean) => void;
  #queue: JSONRPCMessage[] = [];
  /** Index of the first message that is not delivered. */
  #next = 0;
  #handing = false;
  /** The last message that was delivered is not a response. */
  #notified = false;
  /** A response is being delayed. */
  #delaying = false;
  #stopped = false;

  constructor(deliver: (message: JSONRPCMessage, answers: boolean) => void) {
    this.#deliver = deliver;
  }

  /** Delivers a message, now or in its turn. `answers`: it is a response. */
  push(message: JSONRPCMessage, answers: boolean): void {
    if (this.#stopped) return;
    if (this.#isBusy || (answers && this.#notified)) return this.#enqueue(message);
    if (!answers) this.#notified = true;
    this.#handing = true;
    this.#deliver(message, answers);
    this.#handing = false;
    if (this.#next < this.#queue.length) this.#drain();
  }

  /** Delivers delayed messages at once, because the connection ends. */
  flush(): void {
    for (let message = this.#first(); message !== undefined; message = this.#first()) {
      this.#next++;
      this.#deliver(message, isResponse(message));
    }
  }

  /** Drops delayed messages and all later ones. */
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

  /** Queues the jobs for the response, and not for each notification, as most have no response right behind them. */
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
        this.#deliver(message, false);
      } else if (!this.#notified) {
        this.#next++;
        this.#deliver(message, true);
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
