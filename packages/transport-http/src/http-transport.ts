import { sanitizeText } from '@mcp-fittings/client-core';
import {
  BaseTransport,
  isRequest,
  isRequestId,
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  type TransportFacts,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import { withUrl } from '@mcp-fittings/net-policy';
import { checkOptions, type CheckedOptions } from './checked-options.js';
import { isStateless } from './headers/revision.js';
import { createLifetime, during, type Lifetime } from './lifetime.js';
import { postRequest } from './messages/post-request.js';
import { postUnanswered } from './messages/post-unanswered.js';
import type { HttpTransportOptions } from './options.js';
import { createParts, type Parts } from './parts.js';
import { endSession } from './session/end-session.js';
import { wait } from './wait.js';

/** A Streamable HTTP connection, with what this wire can tell beyond the common contract. */
export interface HttpTransport extends Transport {
  /** Aborting `requestSignal` closes the stream of that request, which cancels it in the revision 2026-07-28. */
  readonly hasPerRequestStream: true;
}

/**
 * Makes a transport that speaks Streamable HTTP, in all protocol revisions. The URL is given in the options, or first, as in the
 * official SDKs.
 * Throws `CONFIG_INVALID` or `HEADER_INVALID` when an option can't be used; nothing is sent before the first message.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport;
/** The same, with the URL first. */
export function createHttpTransport(
  url: string | URL,
  options?: Omit<HttpTransportOptions, 'url'>,
): HttpTransport;
export function createHttpTransport(
  first: string | URL | HttpTransportOptions,
  rest: Omit<HttpTransportOptions, 'url'> = {},
): HttpTransport {
  return new StreamableHttpTransport(withUrl<HttpTransportOptions>(first, rest));
}

class StreamableHttpTransport extends BaseTransport implements HttpTransport {
  readonly hasPerRequestStream = true;
  declare readonly sessionId?: string;
  onsessionrestored?: (result: JSONRPCObject) => void;
  onreconnect?: () => void;

  readonly #options: CheckedOptions;
  readonly #parts: Parts;
  readonly #lifetime = createLifetime();
  /** What is under way for each request, so that it can be given up. */
  readonly #requests = new Map<RequestId, Lifetime>();
  /** `notifications/initialized` waits for the event stream: what is announced from now on is heard. */
  #opensStream = false;

  constructor(options: HttpTransportOptions) {
    super({ server: options.server, signal: options.signal });
    this.#options = checkOptions(options);
    this.#parts = createParts(this.#options, {
      makeError: (code, message, facts) => this.error(code, message, facts),
      encode: (message) => this.encode(message),
      inbox: {
        receive: (value) => this.receive(value),
        isPending: (id) => this.isPending(id),
        foreign: (id) => this.reportCounted('RESPONSE_UNEXPECTED', () => foreignAnswer(id)),
        malformed: () => this.reportCounted('MESSAGE_INVALID', () => NO_MESSAGE),
      },
      paced: (source) => this.paced(source),
      lifetime: this.#lifetime,
      revision: () => this.protocolVersion,
      onInitialized: ({ protocolVersion }) => {
        if (typeof protocolVersion === 'string') this.setProtocolVersion(protocolVersion);
      },
      onRestored: (result) => this.#restored(result),
      onStreamOpen: () => {
        if (!this.#opensStream) this.guard(() => this.onreconnect?.());
      },
      report: (error) => this.report(error),
      fail: (error) => this.fail(error),
      guard: (callback) => this.guard(callback),
    });
    const { session } = this.#parts;
    // Not enumerable: it is a secret and must not be seen in an inspection.
    Object.defineProperty(this, 'sessionId', { get: () => session.establishedId });
  }

  override describe(): TransportFacts {
    return {
      url: this.#options.url.origin,
      protocolVersion: this.protocolVersion,
      session: this.sessionId !== undefined,
      eventStream: this.#parts.standalone.state,
      ...this.ignored,
    };
  }

  protected override open(): Promise<void> {
    return Promise.resolve();
  }

  protected override write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    return isRequest(message) ? this.#request(message, options) : this.#unanswered(message, options);
  }

  protected override async shutDown(): Promise<void> {
    this.#lifetime.end();
    const { session, exchange, network } = this.#parts;
    const { farewellMs, clock } = this.#options;
    if (session.id !== undefined && farewellMs > 0) {
      await endSession({ exchange, clock, withinMs: farewellMs, revision: this.protocolVersion });
    }
    await network.close();
  }

  async #request(request: JSONRPCRequest, options: TransportSendOptions): Promise<void> {
    const { id } = request;
    const { requestSignal } = options;
    const lifetime = createLifetime(this.#lifetime);
    const abort = (): void => lifetime.end();
    this.#requests.set(id, lifetime);
    this.markUnsent(id);
    const release = requestSignal && this.onAbort(requestSignal, abort);
    try {
      const onSend = (): void => this.markSent(id);
      await postRequest({ request, options, lifetime, onSend }, this.#parts.facts);
    } finally {
      release?.();
      lifetime.end();
      // Whoever cancelled the request may have used its id again.
      if (this.#requests.get(id) === lifetime) {
        this.#requests.delete(id);
      }
    }
  }

  async #unanswered(
    message: Exclude<JSONRPCMessage, JSONRPCRequest>,
    options: TransportSendOptions,
  ): Promise<void> {
    const lifetime = createLifetime(this.#lifetime);
    let sent = false;
    const onSend = (): void => void (sent = true);
    try {
      await postUnanswered({ message, options, lifetime, session: 'current', onSend }, this.#parts.facts);
      if (this.#lifetime.ended) throw this.lost(sent ? 'unknown' : 'not-sent');
    } finally {
      lifetime.end();
      if ('method' in message && message.method === 'notifications/cancelled') {
        const id = message.params?.['requestId'];
        if (isRequestId(id)) this.#requests.get(id)?.end();
      }
    }
    if ('method' in message && message.method === 'notifications/initialized') await this.#openFirst();
  }

  /**
   * Settles when the event stream is open or refused, so that nothing that the host reads next can be overtaken by a change that
   * is announced while the stream is on its way; bounded, for a server that answers the GET late.
   */
  async #openFirst(): Promise<void> {
    if (isStateless(this.protocolVersion)) return;
    const waiting = createLifetime(this.#lifetime);
    this.#opensStream = true;
    const opened = this.#parts.standalone.start();
    await during(waiting, Promise.race([opened, wait(this.#options.clock, OPENING_MS, waiting)]));
    this.#opensStream = false;
    waiting.end();
  }

  #restored(result: JSONRPCObject): void {
    this.guard(() => this.onsessionrestored?.(result));
    if (isStateless(this.protocolVersion)) return;
    const { standalone } = this.#parts;
    void standalone.start().then(() => {
      // An open one has said so itself.
      if (standalone.state === 'none') this.guard(() => this.onreconnect?.());
    });
  }
}

/** Longest wait for the event stream, milliseconds. */
const OPENING_MS = 1000;

const NO_MESSAGE = 'The server sent what is not a JSON-RPC message.';

function foreignAnswer(id: unknown): string {
  return `A reply held the answer to another request: ${sanitizeText(JSON.stringify(id ?? null), { maxLength: 64 })}`;
}
