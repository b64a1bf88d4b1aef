import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { FittingsError, systemClock, type Clock } from '@mcp-fittings/client-core';
import type { Interaction, InteractionOptions, InteractionSession } from '../flow/interaction.js';
import { openBrowser } from './open-browser.js';
import { page, pageHeaders, type PageKind } from './page.js';
import { isNavigation } from './request-check.js';

export interface LoopbackOptions {
  /**
   * Shows the page to the person. Default: the system's browser, without a shell. The URL is canonical, http or https.
   * Rejects when that failed.
   */
  readonly open?: ((url: URL) => Promise<void>) | undefined;
  /** Told of the URL before it is opened, for a host that shows a link as well; then a browser that fails is no failure. */
  readonly onUrl?: ((page: { readonly server: string; readonly url: URL }) => void) | undefined;
  /** How long the person may take, milliseconds. Default 300 000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const PATH = '/callback';
const TIMEOUT_MS = 300_000;

/**
 * Signs in through the browser of this machine: listens on a port of 127.0.0.1 for the one answer that carries the state of
 * this sign-in, and shows there how it ended. Everything else that knocks is turned away and changes nothing.
 * Rejects with `AUTH_FAILED` (no port, no browser), `TIMEOUT`, `ABORTED`.
 * @see https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3
 */
export function loopback(options: LoopbackOptions = {}): Interaction {
  return {
    async begin(request) {
      const listener = await listen(request);
      return new LoopbackSession(listener.server, listener.port, request, options);
    },
  };
}

class LoopbackSession implements InteractionSession {
  readonly redirectUri: string;
  readonly #server: Server;
  readonly #hosts: ReadonlySet<string>;
  readonly #request: InteractionOptions;
  readonly #options: LoopbackOptions;
  #waiting: { readonly state: string; readonly answer: (parameters: URLSearchParams) => void } | undefined;
  #browser: ServerResponse | undefined;

  constructor(server: Server, port: number, request: InteractionOptions, options: LoopbackOptions) {
    this.#server = server;
    this.#request = request;
    this.#options = options;
    this.#hosts = new Set([`127.0.0.1:${port}`, ...(port === 80 ? ['127.0.0.1'] : [])]);
    this.redirectUri = `http://127.0.0.1:${port}${PATH}`;
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) =>
      this.#serve(incoming, response),
    );
  }

  async authorize({ url, state }: { readonly url: URL; readonly state: string }): Promise<URLSearchParams> {
    const { server, signal } = this.#request;
    const { clock = systemClock, timeoutMs = TIMEOUT_MS, onUrl } = this.#options;
    const { open = (at: URL) => openBrowser(at, { clock }) } = this.#options;
    let cleanUp = (): void => undefined;
    try {
      return await new Promise<URLSearchParams>((answer, reject) => {
        const abort = (): void => reject(givenUp(server));
        const timer = clock.schedule(() => reject(tooLate(server, timeoutMs)), timeoutMs);
        signal?.addEventListener('abort', abort, { once: true });
        cleanUp = () => {
          timer[Symbol.dispose]();
          signal?.removeEventListener('abort', abort);
        };
        if (signal?.aborted === true) return abort();
        this.#waiting = { state, answer };
        onUrl?.({ server, url });
        open(url).catch((cause: unknown) => {
          if (onUrl === undefined) reject(notOpened(cause, server));
        });
      });
    } finally {
      this.#waiting = undefined;
      cleanUp();
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
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    incoming.resume();
    if (!this.#hosts.has(incoming.headers.host ?? '') || !isNavigation(incoming.headers)) {
      return this.#show(response, 403, 'refused');
    }
    const url = new URL(incoming.url ?? '/', this.redirectUri);
    if (url.pathname !== PATH) return this.#show(response, 404, 'refused');
    if (incoming.method !== 'GET') return this.#show(response, 405, 'refused');
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#show(response, 410, 'over');
    const [state, ...more] = url.searchParams.getAll('state');
    if (state === undefined || more.length > 0 || !isSame(state, waiting.state)) {
      return this.#show(response, 400, 'refused');
    }
    this.#waiting = undefined;
    // The person is told when it is known how it ended.
    this.#browser = response;
    waiting.answer(url.searchParams);
  }

  #show(response: ServerResponse, status: number, kind: PageKind): void {
    response.writeHead(status, pageHeaders());
    response.end(page(kind, this.#request.server));
  }
}

async function listen({ callbackPort, preferredPort, server: name }: InteractionOptions) {
  const ports = callbackPort === undefined ? [...(preferredPort ? [preferredPort] : []), 0] : [callbackPort];
  let failure: unknown;
  for (const port of ports) {
    const server = createServer({ requestTimeout: 10_000 });
    try {
      server.listen({ host: '127.0.0.1', port, exclusive: true });
      await once(server, 'listening');
      const address = server.address();
      if (address !== null && typeof address === 'object') return { server, port: address.port };
    } catch (error) {
      failure = error;
    }
  }
  throw new FittingsError('AUTH_FAILED', `No port of this machine is free for the sign-in to "${name}".`, {
    server: name,
    cause: failure,
    hint:
      callbackPort === undefined
        ? 'Check whether something forbids to listen on 127.0.0.1.'
        : `Something else listens on port ${callbackPort}: end it, or register another port.`,
  });
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

function givenUp(server: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in to "${server}" was given up.`, { server });
}

function tooLate(server: string, timeoutMs: number): FittingsError {
  return new FittingsError('TIMEOUT', `Nobody signed in to "${server}" within ${timeoutMs} ms.`, {
    server,
    hint: 'Start the sign-in again, and finish it in the browser.',
  });
}

function notOpened(cause: unknown, server: string): FittingsError {
  if (cause instanceof FittingsError) return cause;
  return new FittingsError('AUTH_FAILED', 'The browser could not be opened.', { server, cause });
}
