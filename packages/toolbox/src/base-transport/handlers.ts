import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { isResponse } from '../messages.js';
import { Fifo } from './fifo.js';

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

/**
 * Delivers messages in order, one at a time, and delays a response by two microtasks if the message before it is not one.
 *
 * The SDK clients run notification handlers one microtask late, but settle responses at once and then forget the progress
 * handler: progress that shares a chunk with its response would be lost.
 */
export class OrderedDelivery {
  /** Takes a message. Must not throw. */
  readonly #deliver: (message: JSONRPCMessage, answers: boolean) => void;
  readonly #queue = new Fifo<JSONRPCMessage>();
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
    if (this.#handing || !this.#queue.isEmpty || (answers && this.#notified)) {
      this.#queue.push(message);
      return this.#drain();
    }
    if (!answers) this.#notified = true;
    this.#handing = true;
    this.#deliver(message, answers);
    this.#handing = false;
    this.#drain();
  }

  /** Delivers delayed messages at once, because the connection ends. */
  flush(): void {
    for (let message = this.#queue.shift(); message !== undefined; message = this.#queue.shift())
      this.#deliver(message, isResponse(message));
  }

  /** Drops delayed messages and all later ones. */
  stop(): void {
    this.#stopped = true;
    this.#queue.clear();
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
    if (this.#handing || this.#queue.isEmpty) return;
    this.#handing = true;
    for (let message = this.#queue.first; message !== undefined; message = this.#queue.first) {
      const answers = isResponse(message);
      if (answers && this.#notified) {
        this.#delay();
        break;
      }
      this.#queue.shift();
      if (!answers) this.#notified = true;
      this.#deliver(message, answers);
    }
    this.#handing = false;
  }
}
