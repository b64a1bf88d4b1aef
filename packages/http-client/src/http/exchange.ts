import type { PacedSource, Pausable } from '@mcp-fittings/toolbox/base-transport';
import { concatBytes } from '@mcp-fittings/toolbox/framing';
import type { RefusedReply } from '@mcp-fittings/toolbox/refusal';
import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import type { Clock, TransportError } from '@mcp-fittings/client-core';
import type { AcceptedReply, BodySink, HttpRequest, ResponseHead } from '../http-client.js';
import { failure, networkError, type FailedExchange } from './errors.js';
import { nextHop, type NextHop } from './response-head.js';

/** Chooses the sink for the body of a reply; see `HttpClient.send`. */
export type Accept = (head: ResponseHead) => BodySink | 'discard' | undefined;

const MAX_HOPS = 5;

/** Time that a server has to end a discarded body, in milliseconds; then the socket is closed. */
const LINGER_MS = 1000;

/** Bytes of a refusal that are read: enough for a JSON-RPC error or an explanation. */
const REFUSAL_BYTES = 64 * 1024;

/** Holds what all exchanges of a client have in common. */
export interface ExchangeLimits {
  readonly server: string | undefined;
  readonly clock: Clock;
  /** Largest body of a request that sets no limit. */
  readonly maxBodyBytes: number;
}

/**
 * One request and its reply, whatever carries them: follows redirects, limits the size of the body and hands it to a sink. It ends exactly
 * once.
 */
export abstract class Exchange implements Pausable {
  /** Redirects do not change it. */
  readonly origin: string;
  /** Settles as `HttpClient.send` says. */
  readonly reply: Promise<AcceptedReply | RefusedReply | undefined>;
  readonly request: HttpRequest;
  protected readonly server: string | undefined;
  protected url: URL;
  protected method: string;
  protected body: string | Uint8Array | undefined;
  protected hops = 0;
  protected done = false;
  readonly #accept: Accept;
  readonly #clock: Clock;
  #resolve: (reply: AcceptedReply | RefusedReply | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** Unregisters the task that runs at the end of the lifetime. */
  #stay: () => void = () => undefined;
  #linger: Disposable | undefined;
  #head: ResponseHead | undefined;
  #sink: BodySink | undefined;
  /** The body of a reply that was not accepted. */
  #refusal: Uint8Array[] | undefined;
  readonly #maxBytes: number;
  readonly #paced: Pick<PacedSource, 'read'> | undefined;
  #bytes = 0;
  #unlimited = false;

  constructor(limits: ExchangeLimits, request: HttpRequest, accept: Accept) {
    this.request = request;
    this.server = limits.server;
    this.#accept = accept;
    this.#clock = limits.clock;
    this.#maxBytes = request.maxBodyBytes ?? limits.maxBodyBytes;
    this.#paced = request.paced?.(this);
    this.origin = request.url.origin;
    this.url = request.url;
    this.method = request.method;
    this.body = request.body;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  abstract pause(): void;
  abstract resume(): void;
  /** Sends the request, or the one that a redirect asks for. */
  abstract start(): void;
  /** Frees what carries the exchange, which has ended. */
  protected abstract release(): void;
  /** Says how far the exchange has come. */
  protected abstract failed(): FailedExchange;

  /** Ends the exchange with an error; also for an HTTP client that cannot start it. */
  fail(cause: unknown): void {
    if (this.done) return;
    this.stop();
    const error = networkError(cause, this.failed());
    const head = this.#head;
    if (head === undefined) {
      this.#stay();
      this.#reject(error);
    } else if (this.#refusal === undefined) this.#settle({ accepted: true, head, broken: error });
    else this.#settle(refusedReply(head, this.#refusal));
  }

  /** Returns the redirect to follow instead of reading the body, if the reply is one. Fails for one that is not allowed. */
  protected redirectOf(head: ResponseHead): NextHop | undefined {
    if (this.request.redirect === 'never') return undefined;
    const hop = nextHop(head.status, head.header('location'), this.url, this.method);
    if (hop !== undefined) this.#checkHop(hop);
    return hop;
  }

  /** Limits the body. Fails if it will be too large. */
  protected announce(head: ResponseHead): void {
    this.#unlimited =
      this.request.eventStream === true &&
      head.status >= 200 &&
      head.status <= 299 &&
      head.contentType === 'text/event-stream';
    const announced = Number(head.header('content-length') ?? 0);
    if (this.request.overflow !== 'truncate' && announced > this.#limit) this.fail(this.#tooLarge());
  }

  /** Decides what happens to the body. The rest of a discarded one is read to keep the socket, unless it may never end. */
  protected receive(head: ResponseHead): void {
    this.#head = head;
    try {
      const sink = this.#accept(head);
      if (sink === undefined) this.#refusal = [];
      else if (sink !== 'discard') this.#sink = sink;
      else {
        if (head.contentType === 'text/event-stream') this.stop();
        // Most bodies end together with the head, and need no timer.
        else queueMicrotask(() => this.#limitRest());
        this.#settle({ accepted: true, head });
      }
    } catch (broken) {
      this.stop();
      this.#settle({ accepted: true, head, broken });
    }
  }

  /** Takes decoded bytes. */
  protected take(bytes: Uint8Array): void {
    if (this.done) return;
    const room = this.#limit - this.#bytes;
    this.#bytes += bytes.length;
    if (bytes.length <= room) return this.#hand(bytes);
    if (this.request.overflow !== 'truncate') return this.fail(this.#tooLarge());
    if (room > 0) this.#hand(bytes.subarray(0, room));
    this.finish();
  }

  /** Settles the reply, because the decoded body is complete or is truncated as requested. */
  protected finish(): void {
    if (this.done) return;
    this.stop();
    const head = this.#head;
    if (head === undefined) return this.#settle(undefined);
    if (this.#refusal !== undefined) return this.#settle(refusedReply(head, this.#refusal));
    try {
      this.#sink?.end();
      this.#settle({ accepted: true, head });
    } catch (broken) {
      this.#settle({ accepted: true, head, broken });
    }
  }

  /** Sends the request that a redirect asks for. */
  protected follow(hop: NextHop): void {
    this.hops++;
    this.url = hop.url;
    this.method = hop.method;
    if (!hop.keepsBody) this.body = undefined;
    this.start();
  }

  /** Abandons the exchange when the lifetime ends, which may be now. The last step of each constructor. */
  protected endWith(lifetime: LifetimeSignal): void {
    this.#stay = lifetime.onEnd(() => {
      this.stop();
      this.#resolve(undefined);
    });
  }

  protected stop(): void {
    if (this.done) return;
    this.done = true;
    this.#linger?.[Symbol.dispose]();
    this.release();
  }

  #limitRest(): void {
    if (!this.done) this.#linger = this.#clock.schedule(() => this.stop(), LINGER_MS, { unref: true });
  }

  get #limit(): number {
    return this.#unlimited ? Infinity : this.#maxBytes;
  }

  #hand(bytes: Uint8Array): void {
    if (this.#paced === undefined) this.#handNow(bytes);
    else this.#paced.read(bytes.length, () => this.#handNow(bytes));
  }

  #handNow(bytes: Uint8Array): void {
    const head = this.#head;
    if (head === undefined) return;
    if (this.#refusal !== undefined) {
      this.#refusal.push(bytes);
      if (this.#bytes < REFUSAL_BYTES) return;
      this.stop();
      return this.#settle(refusedReply(head, this.#refusal));
    }
    try {
      this.#sink?.data(bytes);
    } catch (broken) {
      this.stop();
      this.#settle({ accepted: true, head, broken });
    }
  }

  #settle(reply: AcceptedReply | RefusedReply | undefined): void {
    this.#stay();
    this.#resolve(reply);
  }

  #checkHop(hop: NextHop): void {
    const turns = !hop.keepsBody && this.request.redirect === 'same-method';
    if (hop.url.origin === this.origin && this.hops < MAX_HOPS && !turns) return;
    const where =
      this.hops < MAX_HOPS ? `to ${hop.url.origin}` : `more than ${String(MAX_HOPS)} times in a row`;
    this.fail(
      failure(
        'REDIRECT_REFUSED',
        this.failed(),
        {
          delivery: hop.keepsBody ? 'rejected' : 'unknown',
          hint: 'If the new URL is right, configure it; redirects are followed within one origin only.',
          details: { target: hop.url.origin },
        },
        (origin) => `${origin} redirects ${where}; the redirect was not followed.`,
      ),
    );
  }

  #tooLarge(): TransportError {
    return failure(
      'MESSAGE_TOO_LARGE',
      this.failed(),
      { delivery: 'unknown', details: { limit: this.#maxBytes } },
      (origin) => `The response body from ${origin} exceeds the limit of ${String(this.#maxBytes)} bytes.`,
    );
  }
}

function refusedReply(head: ResponseHead, body: readonly Uint8Array[]): RefusedReply {
  const text = new TextDecoder().decode(concatBytes(body).subarray(0, REFUSAL_BYTES));
  return { accepted: false, head, text };
}
