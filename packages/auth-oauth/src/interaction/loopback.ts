import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { systemClock, withTimeout } from '@mcp-fittings/toolbox/timing';
import { startCallbackListener, type CallbackListener } from './callback-listener.js';
import { callbackPage, callbackPageHeaders, type PageKind } from './callback-page.js';
import {
  signInAborted,
  type Interaction,
  type InteractionOptions,
  type InteractionSession,
} from './interaction.js';
import { openBrowser } from './open-browser.js';
import { checkCallbackPath, loopbackRedirectUri, type LoopbackHost } from './redirect-uri.js';

/** Options of {@link loopback}. */
export interface LoopbackOptions {
  /**
   * Opens the sign-in page, a normalized http or https URL. If it rejects and there is no `onUrl`, the sign-in rejects with
   * `AUTH_FAILED`. Default: {@link openBrowser}.
   */
  readonly open?: ((url: URL) => Promise<void>) | undefined;
  /**
   * Called with the URL before it is opened, to show a link. With it, the sign-in continues if the browser cannot be
   * opened.
   */
  readonly onUrl?: ((page: { readonly server: string; readonly url: URL }) => void) | undefined;
  /**
   * Host of the redirect URI if the server's configuration has none. Use `localhost` for a client that was registered with
   * that name; the listener then uses IPv4 and IPv6. Default `127.0.0.1`.
   */
  readonly host?: InteractionOptions['callbackHost'];
  /** Path of the redirect URI if the server's configuration has none. Default `/callback`. */
  readonly path?: string | undefined;
  /** Milliseconds that the person may take; 0 for no limit. Default 300 000. */
  readonly timeoutMs?: number | undefined;
  /** Time source of `timeoutMs`. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const TIMEOUT_MS = 300_000;

/**
 * Creates an interaction with the browser of this machine. It listens on the loopback interface for the one redirect that
 * carries the `state` of the sign-in, and shows a page with the outcome. All other requests are refused and change nothing.
 *
 * Throws `CONFIG_INVALID` for an invalid `path`. Its sessions reject with `AUTH_FAILED` (no free port, no browser),
 * `CALLBACK_FAILED` (`onUrl` threw), `TIMEOUT` or `ABORTED`.
 * @example
 * ```ts
 * oauth({ clientName: 'My App', store: memoryStore(), interaction: loopback({ timeoutMs: 60_000 }) });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3
 */
export function loopback(options: LoopbackOptions = {}): Interaction {
  const { host = '127.0.0.1', path = '/callback' } = options;
  checkCallbackPath(path);
  return {
    async begin(request) {
      const { callbackHost = host, callbackPath = path } = request;
      const listener = await startCallbackListener(request, callbackHost);
      return new LoopbackSession(listener, { host: callbackHost, path: callbackPath }, request, options);
    },
  };
}

class LoopbackSession implements InteractionSession {
  readonly redirectUri: string;
  readonly #listener: CallbackListener;
  readonly #path: string;
  readonly #hosts: ReadonlySet<string>;
  readonly #request: InteractionOptions;
  readonly #options: LoopbackOptions;
  #waiting: { readonly state: string; readonly answer: (parameters: URLSearchParams) => void } | undefined;
  #browser: ServerResponse | undefined;

  constructor(
    listener: CallbackListener,
    { host, path }: { readonly host: LoopbackHost; readonly path: string },
    request: InteractionOptions,
    options: LoopbackOptions,
  ) {
    const { port } = listener;
    this.#listener = listener;
    this.#path = path;
    this.#request = request;
    this.#options = options;
    this.#hosts = new Set([`${host}:${port}`, ...(port === 80 ? [host] : [])]);
    this.redirectUri = loopbackRedirectUri(host, port, path);
    listener.serve((incoming, response) => this.#serve(incoming, response));
  }

  async authorize({ url, state }: { readonly url: URL; readonly state: string }): Promise<URLSearchParams> {
    const { server, signal } = this.#request;
    const { clock = systemClock, timeoutMs = TIMEOUT_MS, onUrl } = this.#options;
    const { open = (at: URL) => openBrowser(at, { clock }) } = this.#options;
    const error = (): FittingsError => tooLate(server, timeoutMs);
    const answered = (): Promise<URLSearchParams> =>
      new Promise((answer, reject) => {
        this.#waiting = { state, answer };
        try {
          onUrl?.({ server, url });
        } catch (cause) {
          return reject(notShown(cause, server));
        }
        // The host's function may throw synchronously, or return nothing.
        const opening = async (): Promise<void> => open(url);
        opening().catch((cause: unknown) => {
          if (onUrl === undefined) reject(notOpened(cause, server));
        });
      });
    try {
      return await withTimeout({ ms: timeoutMs, error, clock, signal }, answered);
    } catch (cause) {
      throw signal?.aborted === true && cause === signal.reason ? signInAborted(server) : cause;
    } finally {
      this.#waiting = undefined;
    }
  }

  async finish(outcome: 'success' | 'failure'): Promise<void> {
    const browser = this.#browser;
    this.#browser = undefined;
    if (browser === undefined || browser.destroyed) return;
    const sent = Promise.race([once(browser, 'finish'), once(browser, 'close')]);
    this.#show(browser, 200, outcome);
    await sent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish('failure');
    await this.#listener.close();
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    incoming.resume();
    if (!this.#hosts.has(incoming.headers.host ?? '') || !isNavigation(incoming.headers)) {
      return this.#show(response, 403, 'refused');
    }
    const [path = '', ...query] = (incoming.url ?? '').split('?');
    // The path must match as the browser sends it; it is neither resolved nor decoded.
    if (path !== this.#path) return this.#show(response, 404, 'refused');
    if (incoming.method !== 'GET') return this.#show(response, 405, 'refused');
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#show(response, 410, 'over');
    const parameters = new URLSearchParams(query.join('?'));
    const [state, ...more] = parameters.getAll('state');
    if (state === undefined || more.length > 0 || !isSame(state, waiting.state)) {
      return this.#show(response, 400, 'refused');
    }
    this.#waiting = undefined;
    // Answered in finish(), when the outcome is known.
    this.#browser = response;
    waiting.answer(parameters);
  }

  #show(response: ServerResponse, status: number, kind: PageKind): void {
    response.writeHead(status, callbackPageHeaders());
    response.end(callbackPage(kind, this.#request.server));
  }
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

function tooLate(server: string, timeoutMs: number): FittingsError {
  return new FittingsError(
    'TIMEOUT',
    `The sign-in to "${server}" was not completed within ${timeoutMs} ms.`,
    {
      server,
      hint: 'Start the sign-in again, and complete it in the browser.',
    },
  );
}

function notShown(cause: unknown, server: string): FittingsError {
  return new FittingsError(
    'CALLBACK_FAILED',
    `The "onUrl" callback of loopback() threw during the sign-in to "${server}".`,
    {
      server,
      cause,
    },
  );
}

function notOpened(cause: unknown, server: string): FittingsError {
  if (cause instanceof FittingsError) return cause;
  return new FittingsError('AUTH_FAILED', `Could not open the browser for the sign-in to "${server}".`, {
    server,
    cause,
    hint: 'Pass "onUrl" to loopback() to show the URL of the sign-in page to the person.',
  });
}

/**
 * Returns whether a request is a browser that navigates to a page, and not a script, worker or prefetch. Older browsers
 * send none of these headers; their requests are decided by the `state` alone.
 */
function isNavigation(headers: IncomingHttpHeaders): boolean {
  // Browsers send an origin with requests of scripts, and not when they follow a redirect to a page.
  if (headers.origin !== undefined) return false;
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-moz'], headers['x-purpose']];
  if (purpose.some((value) => value !== undefined)) return false;
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers;
  return mode === 'navigate' && destination === 'document';
}
