import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { isResponse } from '@mcp-fittings/toolbox/messages';
import type { Exchange, ResponseHeaders } from './exchange.js';
import type { Beating, Heartbeat } from './heartbeat.js';

/** Options of {@link Reply}. */
export interface ReplyOptions {
  readonly heartbeat: Heartbeat;
  readonly headers: ResponseHeaders;
  /** Requests that are answered; the last answer ends the response. An event stream of a session has none, and does not end by itself. */
  readonly requests: number;
}

/** Answers a client in one response: JSON, or an event stream as soon as there is more to say than one answer. */
export class Reply implements Beating {
  readonly #exchange: Exchange;
  readonly #options: ReplyOptions;
  #left: number;
  #isStream = false;
  #beats = 0;

  constructor(exchange: Exchange, options: ReplyOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#left = options.requests;
    if (options.requests === 0) this.#open();
    options.heartbeat.add(this);
    exchange.onOver(() => options.heartbeat.delete(this));
  }

  /** @param status - of a response that is JSON; default 200 */
  send(message: JSONRPCMessage, status = 200): void {
    const { requests, headers } = this.#options;
    const isAnswer = isResponse(message);
    if (isAnswer && requests === 1 && !this.#isStream) {
      const type = { 'content-type': 'application/json' };
      return this.#exchange.respond(status, { ...headers, ...type }, JSON.stringify(message));
    }
    this.#open();
    this.#exchange.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (isAnswer) this.release();
  }

  /** One of the requests gets no answer any more. */
  release(): void {
    this.#left -= 1;
    if (this.#left !== 0) return;
    this.#open();
    this.#exchange.end();
  }

  /** Ends the response. */
  end(): void {
    this.#exchange.end();
  }

  beat(): void {
    // A request may have begun just before the beat.
    if (this.#beats++ === 0 && !this.#isStream) return;
    this.#open();
    this.#exchange.write(': keepalive\n\n');
  }

  #open(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    this.#exchange.openStream(this.#options.headers);
  }
}
