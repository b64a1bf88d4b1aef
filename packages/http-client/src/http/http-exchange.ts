import type { PacedSource } from '@mcp-fittings/client-core/transport';
import type { Dispatcher } from 'undici';
import type { Exchange, HttpRequest, ResponseHandler, ResponseHead } from '../http-client.js';
import type { BodyDecoder } from './decoder.js';
import type { Engine } from './engine.js';
import { failure, networkError, type FailedExchange } from './errors.js';
import { nextHop, type NextHop } from './redirect.js';
import type { Route } from './routes.js';
import type { ConcurrencyLimiter, Waiter } from './concurrency-limiter.js';
import type { Sockets } from './socket-pool.js';

/** What an exchange gets from its HTTP client. */
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

/** One request and its response: waits for a socket, follows redirects, decodes the body and limits its size. It ends exactly once. */
export class HttpExchange implements Exchange, Waiter, Dispatcher.DispatchHandler {
  place: Waiter['place'];
  /** Redirects do not change it. */
  readonly origin: string;
  readonly #deps: HttpExchangeDeps;
  readonly #request: HttpRequest;
  readonly #handler: ResponseHandler;
  readonly #headers: Record<string, string>;
  readonly #maxBytes: number;
  readonly #paced: PacedSource | undefined;
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
  #silenced = false;

  constructor(
    deps: HttpExchangeDeps,
    request: HttpRequest,
    handler: ResponseHandler,
    headers: Record<string, string>,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#handler = handler;
    this.#maxBytes = request.maxBodyBytes ?? deps.maxBodyBytes;
    this.#headers = headers;
    this.#paced = request.paced?.(this);
    this.origin = request.url.origin;
    this.#url = request.url;
    this.#method = request.method;
    this.#body = request.body;
  }

  abort(): void {
    this.#silenced = true;
    this.#stop();
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
    // Deferred, so that the caller of `exchange` has its result first.
    queueMicrotask(() => {
      if (!this.#silenced) this.#handler.onError(error);
    });
  }

  start(): void {
    if (this.#done) return this.#deps.limiter.leave(this);
    try {
      const route = this.#deps.engine().routes.to(this.#url, this.origin);
      if (!(route instanceof Promise)) return this.#dispatch(route);
      route.then((opened) => this.#dispatch(opened)).catch((cause: unknown) => this.fail(cause));
    } catch (cause) {
      this.fail(cause);
    }
  }

  #dispatch(route: Route): void {
    // It may have been given up while the route was opened.
    if (this.#done) return;
    this.#route = route;
    this.#sockets = route.pool.take();
    this.#sockets.dispatch(
      {
        origin: this.origin,
        path: this.#url.pathname + this.#url.search,
        method: this.#method,
        headers: this.#headers,
        body: this.#body ?? null,
        headersTimeout: this.#request.headersMs ?? this.#deps.headersMs,
        bodyTimeout: this.#request.bodyIdleMs ?? this.#deps.bodyIdleMs,
      },
      this,
    );
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
    this.#handler.onHeaders(head);
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

  /** The decoded body is complete, or is truncated as requested. */
  #finish(): void {
    if (this.#done) return;
    this.#stop();
    this.#handler.onEnd();
  }

  get #limit(): number {
    return this.#unlimited ? Infinity : this.#maxBytes;
  }

  #hand(bytes: Uint8Array): void {
    try {
      if (this.#paced === undefined) this.#handler.onData(bytes);
      else this.#paced.read(bytes.length, () => this.#handler.onData(bytes));
    } catch (cause) {
      this.fail(cause);
    }
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

const GIVEN_UP = new Error('The exchange was abandoned.');

type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const COOKIES: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

/** Status and headers as callers see them. `raw` has lower-case names. */
class ReceivedHead implements ResponseHead {
  readonly status: number;
  readonly url: URL;
  readonly #raw: RawHeaders;
  #contentType: string | undefined;

  constructor(status: number, raw: RawHeaders, url: URL) {
    this.status = status;
    this.url = url;
    this.#raw = raw;
  }

  header(name: string): string | undefined {
    const value = Object.hasOwn(this.#raw, name) && !COOKIES.has(name) ? this.#raw[name] : undefined;
    return typeof value === 'object' ? value.join(', ') : value;
  }

  *headers(): Iterable<[name: string, value: string]> {
    for (const name of Object.keys(this.#raw)) {
      const value = this.header(name);
      if (value !== undefined) yield [name, value];
    }
  }

  get contentType(): string {
    this.#contentType ??= mediaTypeOf(this.header('content-type') ?? '');
    return this.#contentType;
  }
}

function mediaTypeOf(header: string): string {
  // The usual spelling, without the cost of splitting.
  if (header === 'application/json' || header === 'text/event-stream') return header;
  return header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
