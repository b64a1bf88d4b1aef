import type { Clock, JSONRPCMessage } from '@mcp-fittings/client-core';
import { isResponse } from '@mcp-fittings/toolbox/messages';
import type { Resumption, Sink } from '../contracts/event-stream.js';
import type { Backlog } from './backlog.js';
import type { Exchange, ResponseHeaders } from './exchange.js';

/** Options of {@link Reply}. */
export interface ReplyOptions {
  /** Time between comments that keep an event stream open, in milliseconds; 0 for none. */
  readonly keepAliveMs: number;
  readonly clock: Clock;
  readonly headers: ResponseHeaders;
  /** Requests that are answered; the last answer ends the response. An event stream of a session has none, and does not end by itself. */
  readonly requests: number;
  /** Keeps events of the stream, so that its client can read on over another connection. Default: it ends with its connection. */
  readonly backlog?: Backlog | undefined;
}

/** Answers a client in one response: JSON, or an event stream as soon as there is more to say than one answer. */
export class Reply {
  readonly #exchange: Exchange;
  readonly #options: ReplyOptions;
  #sink: Sink | undefined;
  #left: number;
  #isStream = false;
  #isComplete = false;
  #isOver = false;
  #onOver: (() => void) | undefined;
  #keepAlive: Disposable | undefined;
  /** Name of the stream among those of the session, once it has an event. */
  #name: string | undefined;
  /** Number of the last event. */
  #last = 0;

  constructor(exchange: Exchange, options: ReplyOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#left = options.requests;
    this.#attach(exchange);
    if (options.requests === 0) this.#openQuietly();
  }

  /** True while a connection is there. */
  get isAttached(): boolean {
    return this.#sink !== undefined;
  }

  /** True if all requests are answered. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** True if it is not complete, and its client has left the connection of the request, or reads on over another one. */
  get isMoved(): boolean {
    return !this.#isComplete && this.#sink !== this.#exchange;
  }

  /** Calls the function when the response has ended, and no client can read on any more. */
  onOver(listener: () => void): void {
    if (this.#isOver) listener();
    else this.#onOver = listener;
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
    this.#write(JSON.stringify(message));
    if (isAnswer) this.release();
  }

  /** One of the requests gets no answer any more. */
  release(): void {
    this.#left -= 1;
    if (this.#left !== 0) return;
    this.#open();
    this.#isComplete = true;
    this.#sink?.end();
  }

  /** Ends the response. */
  end(): void {
    this.#sink?.end();
  }

  /**
   * Goes on over another connection with what comes after an event, unless that is `complete`, or not kept any more.
   * @param open - begins the event stream
   */
  resume(after: number, open: () => Sink): Resumption {
    const { backlog } = this.#options;
    const missed = this.#name === undefined ? undefined : backlog?.after(this.#name, after);
    if (!(after > 0) || missed?.length !== this.#last - after) return 'unknown';
    if (this.#isComplete && missed.length === 0) return 'complete';
    const before = this.#sink;
    const sink = open();
    this.#attach(sink);
    // A connection may be gone without a sign.
    before?.end();
    // Clients of the SDKs know of the events of this connection only, if they have to read on once more.
    if (missed.length > 0) sink.write(missed.join(''));
    else if (backlog?.hasEmptyEvents === true) sink.write(eventText(`${this.#name}.${after}`, ''));
    if (this.#isComplete) sink.end();
    return 'resumed';
  }

  /** No client reads on any more. */
  drop(): void {
    if (this.#name !== undefined) this.#options.backlog?.forget(this.#name);
    this.#isOver = true;
    this.#onOver?.();
  }

  #attach(sink: Sink): void {
    const { backlog } = this.#options;
    this.#sink = sink;
    this.#scheduleKeepAlive();
    if (this.#name !== undefined) backlog?.resumed(this.#name);
    sink.onOver(() => {
      if (this.#sink !== sink) return;
      this.#sink = undefined;
      this.#keepAlive?.[Symbol.dispose]();
      // A client without an event cannot say where it reads on.
      if (this.#name !== undefined && backlog?.left(this.#name, () => this.drop()) === true) return;
      this.#isOver = true;
      this.#onOver?.();
    });
  }

  #scheduleKeepAlive(): void {
    const { keepAliveMs, clock } = this.#options;
    this.#keepAlive?.[Symbol.dispose]();
    if (!(keepAliveMs > 0)) return;
    const onDue = (): void => {
      this.#scheduleKeepAlive();
      this.#openQuietly();
      this.#sink?.write(': keepalive\n\n');
    };
    this.#keepAlive = clock.schedule(onDue, keepAliveMs, { unref: true });
  }

  #open(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    this.#exchange.openStream(this.#options.headers);
  }

  /** Opens the stream before there is a message. Since revision 2025-11-25, an empty event tells its client where to read on. */
  #openQuietly(): void {
    if (this.#isStream) return;
    this.#open();
    if (this.#options.backlog?.hasEmptyEvents === true) this.#write('');
  }

  #write(data: string): void {
    const { backlog, requests } = this.#options;
    if (backlog === undefined) return this.#sink?.write(`event: message\ndata: ${data}\n\n`);
    this.#name ??= backlog.open(this, requests === 0);
    const number = ++this.#last;
    const text = eventText(`${this.#name}.${number}`, data);
    backlog.add(this.#name, number, text);
    this.#sink?.write(text);
  }
}

function eventText(id: string, data: string): string {
  return `event: message\nid: ${id}\ndata: ${data}\n\n`;
}
