import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import type { Dispatcher } from 'undici';
import type { HttpRequest } from '../http-client.js';
import type { BodyDecoder } from './decoder.js';
import type { Engine } from './engine.js';
import { failure, type FailedExchange } from './errors.js';
import { type Accept, Exchange, type ExchangeLimits } from './exchange.js';
import { type NextHop, type RawHeaders, ReceivedHead } from './response-head.js';
import type { Route, Sockets } from './routes.js';
import type { ConcurrencyLimiter, Waiter } from './concurrency-limiter.js';

/** Holds what an exchange gets from its HTTP client. */
export interface HttpExchangeDeps extends ExchangeLimits {
  readonly limiter: ConcurrencyLimiter;
  engine(): Engine;
  /** Returns what messages name instead of a URL: the socket that requests to it go to. */
  shown(url: URL): URL;
  readonly headersMs: number;
  readonly bodyIdleMs: number;
}

/** Bytes of the body of a redirect that are read in order to keep the connection. */
const MAX_REDIRECT_BODY = 65_536;

/** An exchange over a socket of undici: waits for the socket and decodes the body. */
export class HttpExchange extends Exchange implements Waiter, Dispatcher.DispatchHandler {
  place: Waiter['place'];
  readonly #deps: HttpExchangeDeps;
  readonly #headers: Record<string, string>;
  #route: Route | undefined;
  #sockets: Sockets | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: BodyDecoder | undefined;
  #next: NextHop | undefined;
  /** Bytes of the body of a redirect. */
  #skipped = 0;
  #paused = false;

  constructor(
    deps: HttpExchangeDeps,
    request: HttpRequest,
    headers: Record<string, string>,
    lifetime: LifetimeSignal,
    accept: Accept,
  ) {
    super(deps, request, accept);
    this.#deps = deps;
    this.#headers = headers;
    this.endWith(lifetime);
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

  start(opened?: Route): void {
    // It may have been given up while it waited, or while the route was opened.
    if (this.done) return this.#deps.limiter.leave(this);
    try {
      const route = opened ?? this.#deps.engine().routes.to(this.url, this.origin);
      if (route instanceof Promise) {
        route.then((made) => this.start(made)).catch((cause: unknown) => this.fail(cause));
        return;
      }
      this.#route = route;
      this.#sockets = route.pool.take();
      const options = {
        origin: this.origin,
        path: this.url.pathname + this.url.search,
        method: this.method,
        headers: this.#headers,
        body: this.body ?? null,
        headersTimeout: this.#deps.headersMs,
        bodyTimeout: this.#deps.bodyIdleMs,
      };
      this.#sockets.dispatch(options, this);
    } catch (cause) {
      this.fail(cause);
    }
  }

  refuse(): void {
    this.fail(failure('TRANSPORT_CLOSED', this.failed(), { delivery: 'not-sent' }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.done) controller.abort(GIVEN_UP);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (this.done || status < 200) return;
    const head = new ReceivedHead(status, headers, this.url);
    this.#next = this.redirectOf(head);
    if (this.#next !== undefined) return;
    this.announce(head);
    if (this.done) return;
    const encoding = head.header('content-encoding') ?? '';
    if (encoding !== '' && !this.#decode(encoding)) {
      return this.#violate(
        (origin) => `The response from ${origin} has a Content-Encoding that was not requested.`,
      );
    }
    if (this.#paused) this.pause();
    this.receive(head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.done) return;
    if (this.#next !== undefined) {
      this.#skipped += chunk.length;
      if (this.#skipped > MAX_REDIRECT_BODY) controller.abort(GIVEN_UP);
    } else if (this.#decoder === undefined) this.take(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.done) return;
    this.#sockets?.release();
    if (this.#next !== undefined) this.#follow(this.#next);
    else if (this.#decoder === undefined) this.finish();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.done) return;
    if (this.#next !== undefined) this.#follow(this.#next);
    else this.fail(error);
  }

  /** Returns `false` for an unsupported encoding. */
  #decode(encoding: string): boolean {
    const decoder = this.#deps.engine().createDecoder(encoding, {
      onData: (bytes) => this.take(bytes),
      onDrain: () => this.#controller?.resume(),
      onEnd: () => this.finish(),
      onError: (cause) =>
        this.#violate((origin) => `The compressed response body from ${origin} is corrupt.`, cause),
    });
    if (decoder === undefined) return false;
    if (decoder !== 'identity') this.#decoder = decoder;
    return true;
  }

  #follow(hop: NextHop): void {
    this.#next = undefined;
    this.#controller = undefined;
    this.#skipped = 0;
    this.follow(hop);
  }

  #violate(text: (origin: string) => string, cause?: Error): void {
    this.fail(failure('PROTOCOL_VIOLATION', this.failed(), { delivery: 'unknown', cause }, text));
  }

  protected override failed(): FailedExchange {
    return {
      server: this.server,
      url: this.#deps.shown(this.url),
      started: this.#controller !== undefined || this.hops > 0,
      proxied: this.#route?.proxied ?? false,
    };
  }

  /** The socket is kept if the response is complete. */
  protected override release(): void {
    this.#controller?.abort(GIVEN_UP);
    this.#decoder?.destroy();
    this.#deps.limiter.leave(this);
  }
}

const GIVEN_UP = new Error('The exchange was abandoned.');
