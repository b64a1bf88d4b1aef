import { checkHeaders, checkServerUrl, parseAddressRanges } from '@mcp-fittings/toolbox/connect';
import { type LifetimeSignal, systemClock } from '@mcp-fittings/toolbox/timing';
import { AddressGuard } from '../http/address-guard.js';
import { collectReply } from '../http/collect-reply.js';
import { failure, foreignOrigin } from '../http/errors.js';
import type { Accept, ExchangeLimits } from '../http/exchange.js';
import { guardedFetch, type GuardedFetchDeps, type GuardedFetchInit } from '../http/guarded-fetch.js';
import type { HttpClient, HttpRequest } from '../http-client.js';
import { type HttpClientOptions, MAX_BODY_BYTES } from '../options.js';
import { FetchExchange } from './fetch-exchange.js';

/** Options of {@link createFetchClient}. Only `url` is required, which is not that of a socket. */
export type FetchClientOptions = Pick<
  HttpClientOptions,
  'url' | 'server' | 'headers' | 'maxBodyBytes' | 'logger' | 'clock'
>;

/**
 * Creates a client that sends messages with the `fetch` of the platform. Proxies, certificates, name resolution and time limits are
 * those of the platform. Throws `CONFIG_INVALID` or `HEADER_INVALID` if an option is invalid.
 *
 * `send` rejects as that of `createHttpClient` does, as far as the platform tells what happened. A browser tells nothing, so that a
 * failed connection is `CONNECTION_LOST` with the `delivery` `unknown`, and hides where a redirect leads, so that none is followed.
 *
 * `fetch` refuses private addresses in URLs. What a name resolves to, only the platform knows.
 */
export function createFetchClient(
  options: FetchClientOptions,
): Pick<HttpClient, 'load' | 'send' | 'fetch' | 'close'> {
  return new FetchClient(options);
}

class FetchClient implements Pick<HttpClient, 'load' | 'send' | 'fetch' | 'close'> {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #limits: ExchangeLimits;
  readonly #fetchDeps: GuardedFetchDeps;
  readonly #open = new Set<FetchExchange>();
  #closed = false;

  constructor(options: FetchClientOptions) {
    const { server, clock = systemClock, maxBodyBytes = MAX_BODY_BYTES } = options;
    const { url, warnings } = checkServerUrl(options.url, { server });
    for (const warning of warnings) options.logger?.warn(warning, { server });
    this.#origin = url.origin;
    this.#headers = checkHeaders(options.headers ?? {}, { server });
    this.#limits = { server, clock, maxBodyBytes };
    const allowed = { ranges: parseAddressRanges([]), hosts: new Set<string>() };
    const guard = new AddressGuard({ configured: url, allowed, server });
    this.#fetchDeps = {
      configured: url,
      headers: this.#headers,
      server,
      clock,
      request: async (request, signal) => {
        guard.checkUrl(request.url);
        return collectReply(
          (lifetime, accept) => this.#sendAnywhere(request, lifetime, accept),
          signal,
          server,
        );
      },
    };
  }

  async load(): Promise<void> {
    // The platform has loaded it.
  }

  send(request: HttpRequest, lifetime: LifetimeSignal, accept: Accept): ReturnType<HttpClient['send']> {
    const headers = { ...this.#headers, ...request.headers };
    const exchange = new FetchExchange(this.#limits, request, headers, lifetime, accept);
    if (exchange.origin !== this.#origin)
      exchange.fail(foreignOrigin(request.url, this.#origin, this.#limits.server));
    else this.#start(exchange);
    return exchange.reply;
  }

  fetch(url: string | URL, init: GuardedFetchInit = {}): Promise<Response> {
    return guardedFetch(this.#fetchDeps, url, init);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#open) exchange.fail(this.#closedError(exchange.request.url, 'unknown'));
  }

  /** Sends a request to any origin, therefore without the configured headers. */
  #sendAnywhere(
    request: HttpRequest,
    lifetime: LifetimeSignal,
    accept: Accept,
  ): ReturnType<HttpClient['send']> {
    const exchange = new FetchExchange(this.#limits, request, request.headers ?? {}, lifetime, accept);
    this.#start(exchange);
    return exchange.reply;
  }

  #start(exchange: FetchExchange): void {
    if (this.#closed) return exchange.fail(this.#closedError(exchange.request.url, 'not-sent'));
    this.#open.add(exchange);
    exchange.onRelease = () => this.#open.delete(exchange);
    exchange.start();
  }

  #closedError(url: URL, delivery: 'not-sent' | 'unknown') {
    const failed = { server: this.#limits.server, url, started: delivery === 'unknown', proxied: false };
    return failure('TRANSPORT_CLOSED', failed, { delivery });
  }
}
