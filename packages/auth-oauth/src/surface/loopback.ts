import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { FittingsError, systemClock, type Clock } from '@mcp-fittings/client-core/auth';
import { withTimeout } from '@mcp-fittings/client-core/timing';
import { givenUp } from '../flow/given-up.js';
import type { Interaction, InteractionOptions, InteractionSession } from '../flow/interaction.js';
import { listen, type CallbackListener } from './callback-listener.js';
import { openBrowser } from './open-browser.js';
import { page, pageHeaders, type PageKind } from './page.js';
import { checkCallbackPath, redirectUriOf, type LoopbackHost } from './redirect-address.js';
import { isNavigation } from './request-check.js';

export interface LoopbackOptions {
  /**
   * Shows the page to the person. Default: the system's browser, without a shell. The URL is canonical, http or https.
   * Rejects when that failed.
   */
  readonly open?: ((url: URL) => Promise<void>) | undefined;
  /** Told of the URL before it is opened, for a host that shows a link as well; then a browser that fails is no failure. */
  readonly onUrl?: ((page: { readonly server: string; readonly url: URL }) => void) | undefined;
  /**
   * Host of the redirect URI, where none is configured. Default `127.0.0.1`; `localhost` where the client was registered
   * with that name, which then is listened at in IPv4 and IPv6.
   */
  readonly host?: LoopbackHost | undefined;
  /** Path of the redirect URI, where none is configured. Default `/callback`. */
  readonly path?: string | undefined;
  /** How long the person may take, milliseconds; 0: as long as they like. Default 300 000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const TIMEOUT_MS = 300_000;

/**
 * Signs in through the browser of this machine: listens on a port of the loopback interface for the one answer that carries
 * the state of this sign-in, and shows there how it ended. Every other request is turned away and changes nothing.
 * Rejects with `AUTH_FAILED` (no port, no browser), `CALLBACK_FAILED` (`onUrl` threw), `TIMEOUT`, `ABORTED`.
 * @see https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3
 */
export function loopback(options: LoopbackOptions = {}): Interaction {
  const { host = '127.0.0.1', path = '/callback' } = options;
  checkCallbackPath(path);
  return {
    async begin(request) {
      const { callbackHost = host, callbackPath = path } = request;
      const listener = await listen(request, callbackHost);
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
    this.redirectUri = redirectUriOf(host, port, path);
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
        // It may throw at once, or return nothing at all.
        const opening = async (): Promise<void> => open(url);
        opening().catch((cause: unknown) => {
          if (onUrl === undefined) reject(notOpened(cause, server));
        });
      });
    try {
      return await withTimeout({ ms: timeoutMs, error, clock, signal }, answered);
    } catch (cause) {
      throw signal?.aborted === true && cause === signal.reason ? givenUp(server) : cause;
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
    // A path as browsers send it, letter by letter: nothing of it is resolved or decoded.
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
    // The person is told when it is known how it ended.
    this.#browser = response;
    waiting.answer(parameters);
  }

  #show(response: ServerResponse, status: number, kind: PageKind): void {
    response.writeHead(status, pageHeaders());
    response.end(page(kind, this.#request.server));
  }
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

function tooLate(server: string, timeoutMs: number): FittingsError {
  return new FittingsError('TIMEOUT', `Nobody signed in to "${server}" within ${timeoutMs} ms.`, {
    server,
    hint: 'Start the sign-in again, and finish it in the browser.',
  });
}

function notShown(cause: unknown, server: string): FittingsError {
  return new FittingsError(
    'CALLBACK_FAILED',
    `"onUrl" of loopback() failed for the sign-in to "${server}".`,
    {
      server,
      cause,
    },
  );
}

function notOpened(cause: unknown, server: string): FittingsError {
  if (cause instanceof FittingsError) return cause;
  return new FittingsError('AUTH_FAILED', 'The browser could not be opened.', {
    server,
    cause,
    hint: 'Open the sign-in page by hand: "onUrl" of loopback() gives its address.',
  });
}
