import type { Clock } from '@mcp-fittings/client-core';
import { checkHttpOptions } from '@mcp-fittings/toolbox/connect';
import { type LifetimeSignal, systemClock } from '@mcp-fittings/toolbox/timing';
import type { HttpClient, HttpRequest } from '../http-client.js';
import { type HttpClientOptions, MAX_BODY_BYTES } from '../options.js';
import { AddressGuard } from './address-guard.js';
import { collectReply } from './collect-reply.js';
import { guardedFetch, type GuardedFetchDeps, type GuardedFetchInit } from './guarded-fetch.js';
import type { Engine } from './engine.js';
import { foreignOrigin } from './errors.js';
import type { Accept } from './exchange.js';
import { HttpExchange, type HttpExchangeDeps } from './http-exchange.js';
import type { RouteOptions } from './routes.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/** Some gateways refuse requests without these headers. */
const DEFAULT_HEADERS = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'mcp-fittings',
};
const CONNECT_MS = 10_000;
/** An auth provider sends a few requests, hours apart, and is never told that it is no longer needed. */
const IDLE_MS = 10_000;

/**
 * Creates the HTTP client of one server. Nothing is loaded or read before `load()` or
 * the first request, and nothing is opened before the latter. Throws `CONFIG_INVALID` or
 * `HEADER_INVALID` if an option is invalid.
 *
 * @example
 * ```ts
 * await using client = createHttpClient({ url: 'https://mcp.example.com/mcp' });
 * const { status } = await client.fetch('https://mcp.example.com/.well-known/oauth-protected-resource');
 * ```
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  return new UndiciHttpClient(options);
}

/**
 * Creates a client for occasional requests, such as those of sign-in. It needs no `close()`: it frees its sockets when it has been
 * idle for ten seconds, and opens new ones for the next request.
 */
export function createIdleHttpClient(options: HttpClientOptions, clock: Clock): Pick<HttpClient, 'fetch'> {
  let client: HttpClient | undefined;
  let inFlight = 0;
  let idle: Disposable | undefined;

  const close = (): void => {
    const old = client;
    client = undefined;
    // Nothing is in flight on it.
    void old?.close().catch(() => undefined);
  };

  return {
    async fetch(url, init) {
      idle?.[Symbol.dispose]();
      client ??= createHttpClient(options);
      inFlight++;
      try {
        return await client.fetch(url, init);
      } finally {
        if (--inFlight === 0) idle = clock.schedule(close, IDLE_MS, { unref: true });
      }
    },
  };
}

class UndiciHttpClient implements HttpClient {
  readonly #origin: string;
  readonly #exchangeDeps: HttpExchangeDeps;
  readonly #routeOptions: RouteOptions;
  /** Those that every request to the configured origin has. */
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetchDeps: GuardedFetchDeps;
  #engine: Engine | undefined;
  #opening: Promise<Engine> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: HttpClientOptions) {
    const { server, env = process.env, clock = systemClock, timeouts = {} } = options;
    const { url: configured, shown, socketPath, headers, proxy, allowed } = checkHttpOptions(options);
    const resolve = options.resolve ?? resolveBySystem;
    const guard = new AddressGuard({ configured, allowed, server });

    this.#origin = configured.origin;
    this.#headers = { ...DEFAULT_HEADERS, ...headers };
    this.#routeOptions = {
      configured,
      socketPath,
      guard,
      proxy,
      resolve,
      connectMs: timeouts.connectMs ?? CONNECT_MS,
      tls: { ca: options.ca, clientCertificate: options.clientCertificate, server, env },
    };
    this.#exchangeDeps = {
      server,
      clock,
      limiter: new ConcurrencyLimiter(clock, options.sockets?.max),
      engine: () => this.#loaded(),
      shown: (url) => (socketPath !== undefined && url.origin === this.#origin ? shown : url),
      headersMs: timeouts.headersMs ?? 0,
      bodyIdleMs: timeouts.bodyIdleMs ?? 0,
      maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    };
    this.#fetchDeps = {
      configured,
      headers,
      server,
      clock,
      request: (request, signal) =>
        collectReply((lifetime, accept) => this.#sendAnywhere(request, lifetime, accept), signal, server),
    };
  }

  async load(): Promise<void> {
    if (this.#closed === undefined) await this.#prepare().catch(() => undefined);
  }

  send(request: HttpRequest, lifetime: LifetimeSignal, accept: Accept): ReturnType<HttpClient['send']> {
    // Not a spread: Node.js 20 makes a hidden class of its own for each object that is spread and then added to.
    const headers = Object.assign({}, this.#headers, request.headers);
    const exchange = new HttpExchange(this.#exchangeDeps, request, headers, lifetime, accept);
    if (exchange.origin !== this.#origin)
      exchange.fail(foreignOrigin(request.url, this.#origin, this.#exchangeDeps.server));
    else if (this.#engine === undefined || this.#closed !== undefined) this.#startWhenOpen(exchange);
    else if (this.#exchangeDeps.limiter.enter(exchange)) exchange.start();
    return exchange.reply;
  }

  fetch(url: string | URL, init: GuardedFetchInit = {}): Promise<Response> {
    return guardedFetch(this.#fetchDeps, url, init);
  }

  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Sends a request to any origin, therefore without the configured headers. */
  #sendAnywhere(
    request: HttpRequest,
    lifetime: LifetimeSignal,
    accept: Accept,
  ): ReturnType<HttpClient['send']> {
    const headers = { ...DEFAULT_HEADERS, ...request.headers };
    const exchange = new HttpExchange(this.#exchangeDeps, request, headers, lifetime, accept);
    this.#startWhenOpen(exchange);
    return exchange.reply;
  }

  #startWhenOpen(exchange: HttpExchange): void {
    if (this.#closed !== undefined) return exchange.refuse();
    this.#prepare().then(
      () => {
        if (this.#exchangeDeps.limiter.enter(exchange)) exchange.start();
      },
      (cause: unknown) => exchange.fail(cause),
    );
  }

  #prepare(): Promise<Engine> {
    this.#opening ??= loadEngine(this.#routeOptions).then((engine) => {
      this.#engine = engine;
      return engine;
    });
    return this.#opening;
  }

  #loaded(): Engine {
    if (this.#engine === undefined) throw new Error('No request starts before the engine is loaded.');
    return this.#engine;
  }

  async #shutDown(): Promise<void> {
    this.#exchangeDeps.limiter.close();
    const engine = await this.#opening?.catch(() => undefined);
    await engine?.routes.close();
  }
}

/** Loads what a request needs, so that a program that sends none does not wait for it. */
async function loadEngine(options: RouteOptions): Promise<Engine> {
  const { openEngine } = await import('./engine.js');
  return openEngine(options);
}

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const dns = await import('node:dns/promises');
  const found = await dns.lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
