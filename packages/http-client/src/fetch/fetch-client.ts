import type { Logger } from '@mcp-fittings/client-core';
import { checkHeaders, checkServerUrl } from '@mcp-fittings/toolbox/connect';
import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import { failure, foreignOrigin } from '../http/errors.js';
import type { Accept, ExchangeLimits } from '../http/exchange.js';
import type { HttpClient, HttpRequest } from '../http-client.js';
import { MAX_BODY_BYTES } from '../options.js';
import { FetchExchange } from './fetch-exchange.js';

/** Options of {@link createFetchClient}. Only `url` is required. */
export interface FetchClientOptions {
  /** URL of the server as the user configured it. Requests go to its origin only. */
  readonly url: string | URL;
  /** Name of the server; errors have it as `server`. Default: none. */
  readonly server?: string | undefined;
  /** Headers to send with every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Largest decoded body in bytes, except for event streams that the caller asked for. Default 67 108 864 (64 MiB). */
  readonly maxBodyBytes?: number | undefined;
  /** Receives warnings about the URL, such as that it is not encrypted. Default: none. */
  readonly logger?: Logger | undefined;
}

/**
 * Creates a client that sends messages with the `fetch` of the platform. Proxies, certificates, name resolution and time limits are
 * those of the platform. Throws `CONFIG_INVALID` or `HEADER_INVALID` if an option is invalid.
 *
 * `send` rejects as that of `createHttpClient` does, as far as the platform tells what happened. A browser tells nothing, so that a
 * failed connection is `CONNECTION_LOST` with the `delivery` `unknown`, and hides where a redirect leads, so that none is followed.
 */
export function createFetchClient(options: FetchClientOptions): Pick<HttpClient, 'load' | 'send' | 'close'> {
  return new FetchClient(options);
}

class FetchClient implements Pick<HttpClient, 'load' | 'send' | 'close'> {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #limits: ExchangeLimits;
  readonly #open = new Set<FetchExchange>();
  #closed = false;

  constructor(options: FetchClientOptions) {
    const { server, maxBodyBytes = MAX_BODY_BYTES } = options;
    const { url, warnings } = checkServerUrl(options.url, { server });
    for (const warning of warnings) options.logger?.warn(warning, { server });
    this.#origin = url.origin;
    this.#headers = checkHeaders(options.headers ?? {}, { server });
    this.#limits = { server, maxBodyBytes };
  }

  async load(): Promise<void> {
    // The platform has loaded it.
  }

  send(request: HttpRequest, lifetime: LifetimeSignal, accept: Accept): ReturnType<HttpClient['send']> {
    const headers = { ...this.#headers, ...request.headers };
    const exchange = new FetchExchange(this.#limits, request, headers, lifetime, accept);
    if (exchange.origin !== this.#origin)
      exchange.fail(foreignOrigin(request.url, this.#origin, this.#limits.server));
    else if (this.#closed) exchange.fail(this.#closedError(request.url, 'not-sent'));
    else {
      this.#open.add(exchange);
      exchange.onRelease = () => this.#open.delete(exchange);
      exchange.start();
    }
    return exchange.reply;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#open) exchange.fail(this.#closedError(exchange.request.url, 'unknown'));
  }

  #closedError(url: URL, delivery: 'not-sent' | 'unknown') {
    const failed = { server: this.#limits.server, url, started: delivery === 'unknown', proxied: false };
    return failure('TRANSPORT_CLOSED', failed, { delivery });
  }
}
