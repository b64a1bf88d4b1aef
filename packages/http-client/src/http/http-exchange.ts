import type { PacedSource, Pausable } from '@mcp-fittings/toolbox/base-transport';
import type { RefusedReply } from '@mcp-fittings/toolbox/refusal';
import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import type { Dispatcher } from 'undici';
import type { AcceptedReply, BodySink, HttpRequest, ResponseHead } from '../http-client.js';
import type { BodyDecoder } from './decoder.js';
import type { Engine } from './engine.js';
import { failure, networkError, type FailedExchange } from './errors.js';
import { nextHop, type NextHop, ReceivedHead } from './response-head.js';
import type { Route, Sockets } from './routes.js';
import type { ConcurrencyLimiter, Waiter } from './concurrency-limiter.js';

/** Chooses the sink for the body of a reply; see `HttpClient.send`. */
export type Accept = (head: ResponseHead) => BodySink | 'discard' | undefined;

/** Holds what an exchange gets from its HTTP client. */
export interface HttpExchangeDeps {
  readonly server: string | undefined;
  readonly limiter: ConcurrencyLimiter;
  engine(): Engine;
  readonly headersMs: number;
  readonly bodyIdleMs: number;
  readonly maxBodyBytes: number;
}

const MAX_HOPS = 5;
/** Bytes of the body of a redirect that are read in order to keep the connection. */
const MAX_REDIRECT_BODY = 65_536;

/** Bytes of a refusal that are read: enough for a JSON-RPC error or an explanation. */
const REFUSAL_BYTES = 64 * 1024;

/**
 * One request and its reply: waits for a socket, follows redirects, decodes the body, limits its size and hands it to a sink. It ends
 * exactly once.
 */
export class HttpExchange implements Pausable, Waiter, Dispatcher.DispatchHandler {
  place: Waiter['place'];
  /** Redirects do not change it. */
  readonly origin: string;
  /** Settles as `HttpClient.send` says. */
  readonly reply: Promise<AcceptedReply | RefusedReply | undefined>;
  readonly #deps: HttpExchangeDeps;
  readonly #request: HttpRequest;
  readonly #accept: Accept;
  #resolve: (reply: AcceptedReply | RefusedReply | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** Unregisters the task that runs at the end of the lifetime. */
  readonly #stay: () => void;
  #head: ResponseHead | undefined;
  #sink: BodySink | undefined;
  /** The body of a reply that was not accepted. */
  #refusal: Uint8Array[] | undefined;
  readonly #headers: Record<string, string>;
  readonly #maxBytes: number;
  readonly #paced: Pick<PacedSource, 'read'> | undefined;
  #url: URL;
  #method: string;
  #body: string | Uint8Array | undefined;
  #route: Route | undefined;
  #sockets: Sockets | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: BodyDecoder | undefined;
  #next: NextHop | undefined;
  #hops = 0;
  #bytes = 0;
  #unlimited = false;
  #paused = false;
  #done = false;

  constructor(
    deps: HttpExchangeDeps,
    request: HttpRequest,
    headers: Record<string, string>,
    lifetime: LifetimeSignal,
    accept: Accept,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#accept = accept;
    this.#maxBytes = request.maxBodyBytes ?? deps.maxBodyBytes;
    this.#headers = headers;
    this.#paced = request.paced?.(this);
    this.origin = request.url.origin;
    this.#url = request.url;
    this.#method = request.method;
    this.#body = request.body;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#stay = lifetime.onEnd(() => {
      this.#stop();
      this.#resolve(undefined);
    });
  }

  pause(): void {
    this.#paused = true;
    if (this.#decoder === undefined) this.#controller?.pause();
    else this.#decoder.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#decoder === undefined) this.#controller?.resume();
    else this.#decoder.resume();
  }

  /** Ends the exchange with an error; also for an HTTP client that cannot start it. */
  fail(cause: unknown): void {
    if (this.#done) return;
    this.#stop();
    const error = networkError(cause, this.#failed());
    const head = this.#head;
    if (head === undefined) {
      this.#stay();
      this.#reject(error);
    } else if (this.#refusal === undefined) this.#settle({ accepted: true, head, broken: error });
    else this.#settle(refusedReply(head, this.#refusal));
  }

  start(opened?: Route): void {
    // It may have been given up while it waited, or while the route was opened.
    if (this.#done) return this.#deps.limiter.leave(this);
    try {
      const route = opened ?? this.#deps.engine().routes.to(this.#url, this.origin);
      if (route instanceof Promise) {
        route.then((made) => this.start(made)).catch((cause: unknown) => this.fail(cause));
        return;
      }
      this.#route = route;
      this.#sockets = route.pool.take();
      const options = {
        origin: this.origin,
        path: this.#url.pathname + this.#url.search,
        method: this.#method,
        headers: this.#headers,
        body: this.#body ?? null,
        headersTimeout: this.#request.headersMs ?? this.#deps.headersMs,
        bodyTimeout: this.#request.bodyIdleMs ?? this.#deps.bodyIdleMs,
      };
      this.#sockets.dispatch(options, this);
    } catch (cause) {
      this.fail(cause);
    }
  }

  refuse(): void {
    this.fail(failure('TRANSPORT_CLOSED', this.#failed(), { delivery: 'not-sent' }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#done) controller.abort(GIVEN_UP);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (this.#done || status < 200) return;
    const head = new ReceivedHead(status, headers, this.#url);
    if (status >= 300 && status <= 399 && this.#request.redirect !== 'never') {
      this.#next = nextHop(status, head.header('location'), this.#url, this.#method);
      if (this.#next !== undefined) return this.#checkHop(this.#next);
    }
    this.#unlimited =
      this.#request.eventStream === true &&
      status >= 200 &&
      status <= 299 &&
      head.contentType === 'text/event-stream';
    if (this.#request.overflow !== 'truncate' && Number(head.header('content-length') ?? 0) > this.#limit) {
      return this.fail(this.#tooLarge());
    }
    const encoding = head.header('content-encoding') ?? '';
    if (encoding !== '' && !this.#decode(encoding)) {
      return this.fail(
        this.#violation(
          (origin) => `The response from ${origin} has a Content-Encoding that was not requested.`,
        ),
      );
    }
    if (this.#paused) this.pause();
    this.#receive(head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#done) return;
    if (this.#next !== undefined) {
      this.#bytes += chunk.length;
      if (this.#bytes > MAX_REDIRECT_BODY) controller.abort(GIVEN_UP);
    } else if (this.#decoder === undefined) this.#take(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#done) return;
    this.#sockets?.release();
    if (this.#next !== undefined) this.#follow(this.#next);
    else if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#done) return;
    if (this.#next !== undefined) this.#follow(this.#next);
    else this.fail(error);
  }

  /** Decides what happens to the body. The rest of a discarded one is read to keep the socket, unless it may never end. */
  #receive(head: ResponseHead): void {
    this.#head = head;
    try {
      const sink = this.#accept(head);
      if (sink === undefined) this.#refusal = [];
      else if (sink !== 'discard') this.#sink = sink;
      else {
        if (head.contentType === 'text/event-stream') this.#stop();
        this.#settle({ accepted: true, head });
      }
    } catch (broken) {
      this.#stop();
      this.#settle({ accepted: true, head, broken });
    }
  }

  /** Returns `false` for an unsupported encoding. */
  #decode(encoding: string): boolean {
    const decoder = this.#deps.engine().createDecoder(encoding, {
      onData: (bytes) => this.#take(bytes),
      onDrain: () => this.#controller?.resume(),
      onEnd: () => this.#finish(),
      onError: (cause) =>
        this.fail(
          this.#violation((origin) => `The compressed response body from ${origin} is corrupt.`, cause),
        ),
    });
    if (decoder === undefined) return false;
    if (decoder !== 'identity') this.#decoder = decoder;
    return true;
  }

  /** Takes decoded bytes. */
  #take(bytes: Uint8Array): void {
    if (this.#done) return;
    const room = this.#limit - this.#bytes;
    this.#bytes += bytes.length;
    if (bytes.length <= room) return this.#hand(bytes);
    if (this.#request.overflow !== 'truncate') return this.fail(this.#tooLarge());
    if (room > 0) this.#hand(bytes.subarray(0, room));
    this.#finish();
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
      this.#stop();
      return this.#settle(refusedReply(head, this.#refusal));
    }
    try {
      this.#sink?.data(bytes);
    } catch (broken) {
      this.#stop();
      this.#settle({ accepted: true, head, broken });
    }
  }

  /** Settles the reply, because the decoded body is complete or is truncated as requested. */
  #finish(): void {
    if (this.#done) return;
    this.#stop();
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

  #settle(reply: AcceptedReply | RefusedReply | undefined): void {
    this.#stay();
    this.#resolve(reply);
  }

  #checkHop(hop: NextHop): void {
    const turns = !hop.keepsBody && this.#request.redirect === 'same-method';
    if (hop.url.origin === this.origin && this.#hops < MAX_HOPS && !turns) return;
    const where =
      this.#hops < MAX_HOPS ? `to ${hop.url.origin}` : `more than ${String(MAX_HOPS)} times in a row`;
    this.fail(
      failure(
        'REDIRECT_REFUSED',
        this.#failed(),
        {
          delivery: hop.keepsBody ? 'rejected' : 'unknown',
          hint: 'If the new URL is right, configure it; redirects are followed within one origin only.',
          details: { target: hop.url.origin },
        },
        (origin) => `${origin} redirects ${where}; the redirect was not followed.`,
      ),
    );
  }

  #follow(hop: NextHop): void {
    this.#next = undefined;
    this.#controller = undefined;
    this.#bytes = 0;
    this.#hops++;
    this.#url = hop.url;
    this.#method = hop.method;
    if (!hop.keepsBody) this.#body = undefined;
    this.start();
  }

  #tooLarge() {
    return failure(
      'MESSAGE_TOO_LARGE',
      this.#failed(),
      { delivery: 'unknown', details: { limit: this.#maxBytes } },
      (origin) => `The response body from ${origin} exceeds the limit of ${String(this.#maxBytes)} bytes.`,
    );
  }

  #violation(text: (origin: string) => string, cause?: Error) {
    return failure('PROTOCOL_VIOLATION', this.#failed(), { delivery: 'unknown', cause }, text);
  }

  #failed(): FailedExchange {
    return {
      server: this.#deps.server,
      url: this.#url,
      started: this.#controller !== undefined || this.#hops > 0,
      proxied: this.#route?.proxied ?? false,
    };
  }

  /** Ends the exchange. The socket is kept if the response is complete. */
  #stop(): void {
    if (this.#done) return;
    this.#done = true;
    this.#controller?.abort(GIVEN_UP);
    this.#decoder?.destroy();
    this.#deps.limiter.leave(this);
  }
}

function refusedReply(head: ResponseHead, body: readonly Uint8Array[]): RefusedReply {
  const text = Buffer.concat(body).subarray(0, REFUSAL_BYTES).toString('utf8');
  return { accepted: false, head, text };
}

const GIVEN_UP = new Error('The exchange was abandoned.');
