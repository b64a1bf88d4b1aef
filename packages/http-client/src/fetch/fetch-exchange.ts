import { classifySystemError } from '@mcp-fittings/toolbox/errors';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import { failure, type FailedExchange } from '../http/errors.js';
import { type Accept, Exchange, type ExchangeLimits } from '../http/exchange.js';
import { ReceivedHead } from '../http/response-head.js';
import type { HttpRequest } from '../http-client.js';

/** Failures before anything was sent, as far as the platform tells. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'CONNECTION_REFUSED',
  'HOST_NOT_FOUND',
  'CONNECT_FAILED',
  'TLS_FAILED',
]);

/** An exchange by the `fetch` of the platform, which decodes the body. */
export class FetchExchange extends Exchange {
  /** Called when the exchange has ended. */
  onRelease: (() => void) | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #controller = new AbortController();
  #started = false;
  /** Settles when the body may be read on; undefined if it may be read. */
  #paused: Promise<void> | undefined;
  #resume: (() => void) | undefined;

  constructor(
    limits: ExchangeLimits,
    request: HttpRequest,
    headers: Readonly<Record<string, string>>,
    lifetime: LifetimeSignal,
    accept: Accept,
  ) {
    super(limits, request, accept);
    this.#headers = headers;
    this.endWith(lifetime);
  }

  pause(): void {
    this.#paused ??= new Promise((resolve) => (this.#resume = resolve));
  }

  resume(): void {
    this.#paused = undefined;
    this.#resume?.();
  }

  start(): void {
    if (!this.done) this.#run().catch((cause: unknown) => this.fail(cause));
  }

  async #run(): Promise<void> {
    const response = await this.#fetch();
    if (this.done) return;
    const head = new ReceivedHead(response.status, Object.fromEntries(response.headers), this.url);
    const hop = this.redirectOf(head);
    if (hop !== undefined) {
      await response.body?.cancel();
      return this.done ? undefined : this.follow(hop);
    }
    this.announce(head);
    if (this.done) return;
    this.receive(head);
    if (response.body === null) return this.finish();
    await this.#read(response.body.getReader());
  }

  async #fetch(): Promise<Response> {
    const { method, body } = this;
    const headers = this.#checkedHeaders();
    this.#started = true;
    let response: Response;
    try {
      response = await fetch(this.url, {
        method,
        headers,
        // A copy, because `fetch` requires a plain ArrayBuffer.
        body: typeof body === 'object' ? new Uint8Array(body) : (body ?? null),
        redirect: 'manual',
        signal: this.#controller.signal,
        // A Worker has no cookies, and refuses the option.
        ...('credentials' in Request.prototype && { credentials: 'omit' }),
      });
    } catch (cause) {
      const code = classifySystemError(cause);
      this.#started = !NOT_SENT.has(code);
      const isExplained = code !== undefined || (isRecord(cause) && cause['cause'] !== undefined);
      throw isExplained ? cause : this.#unexplained(cause);
    }
    if (response.type === 'opaqueredirect') throw this.#hiddenRedirect();
    return response;
  }

  /** The error of the platform for an invalid header may repeat its value, which may be a secret. */
  #checkedHeaders(): Headers {
    try {
      return new Headers(this.#headers);
    } catch {
      throw failure('HEADER_INVALID', this.failed(), { delivery: 'not-sent' });
    }
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    for (;;) {
      if (this.#paused !== undefined) await this.#paused;
      const { done, value } = await reader.read();
      if (this.done) return;
      if (done) return this.finish();
      this.take(value);
    }
  }

  #unexplained(cause: unknown) {
    return failure(
      'CONNECTION_LOST',
      this.failed(),
      {
        cause,
        delivery: 'unknown',
        hint: 'Check that the server is running, its URL and its certificate; in a browser, also that the server allows requests of this page (CORS).',
      },
      (origin) => `A request to ${origin} failed, and the platform does not say why.`,
    );
  }

  #hiddenRedirect() {
    return failure(
      'REDIRECT_REFUSED',
      this.failed(),
      {
        delivery: 'rejected',
        hint: 'Configure the URL that the server redirects to.',
      },
      (origin) => `${origin} redirects; a browser does not say where to, so the redirect was not followed.`,
    );
  }

  protected override failed(): FailedExchange {
    return { server: this.server, url: this.url, started: this.#started || this.hops > 0, proxied: false };
  }

  protected override release(): void {
    this.#controller.abort();
    this.resume();
    this.onRelease?.();
  }
}
