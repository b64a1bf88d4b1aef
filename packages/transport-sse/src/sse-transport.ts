import {
  BaseTransport,
  systemClock,
  withTimeout,
  type Clock,
  type Delivery,
  type JSONRPCMessage,
  type Transport,
  type TransportDescription,
  type TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import {
  checkHeaders,
  checkServerUrl,
  createCredentials,
  createLifetime,
  createRequestRedactor,
  collectHeaders,
  redactRpcError,
  SDK_ONLY_OPTIONS,
  sendWithRecovery,
  withUrl,
  type Credentials,
  type RecoveryOptions,
  type RequestRedactor,
} from '@mcp-fittings/remote-policy';
import {
  createHttpClient,
  watchSilence,
  type HttpClient,
  type SilenceWatch,
} from '@mcp-fittings/http-client';
import { openEventStream } from './event-stream.js';
import type { SseTransportOptions } from './options.js';
import { Post } from './post.js';

/** Headers that this transport sets and that cannot be configured. */
const OWNED_HEADERS = ['accept', 'cache-control', 'content-type', 'last-event-id'];
const START_MS = 30_000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const SDK_ONLY: Readonly<Record<string, string>> = {
  ...SDK_ONLY_OPTIONS,
  eventSourceInit: 'Leave it out: `headers` and `network` apply to the event stream too.',
};

/**
 * Creates a transport for HTTP+SSE, the HTTP transport of the revision 2024-11-05, deprecated by 2025-03-26. The URL is a member of the options or, as in the
 * official SDK, the first argument. Throws `CONFIG_INVALID` or `HEADER_INVALID` if an option is invalid. Nothing is sent before
 * `start()`.
 *
 * @example
 * ```ts
 * import { createSseTransport } from '@mcp-fittings/transport-sse';
 * import { Client } from '@modelcontextprotocol/client';
 *
 * const client = new Client({ name: 'my-agent', version: '1.0.0' });
 * await client.connect(createSseTransport({ url: 'https://mcp.example.com/sse' }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function createSseTransport(options: SseTransportOptions): Transport;
/** Creates the transport with the URL as the first argument. */
export function createSseTransport(url: string | URL, options?: Omit<SseTransportOptions, 'url'>): Transport;
export function createSseTransport(
  first: string | URL | SseTransportOptions,
  rest: Omit<SseTransportOptions, 'url'> = {},
): Transport {
  return openSseTransport(withUrl<SseTransportOptions>(first, rest), {});
}

/** Creates the transport for a plugin, which adds members to its description. */
export function openSseTransport(options: SseTransportOptions, description: TransportDescription): Transport {
  return new SseTransport(options, description);
}

class SseTransport extends BaseTransport {
  readonly #options: SseTransportOptions;
  readonly #description: TransportDescription;
  readonly #url: URL;
  readonly #redactor: RequestRedactor;
  readonly #clock: Clock;
  readonly #network: HttpClient;
  readonly #credentials: Credentials;
  readonly #recovery: RecoveryOptions;
  #idle: SilenceWatch | undefined;
  #endpoint: URL | undefined;

  constructor(options: SseTransportOptions, description: TransportDescription) {
    super({ server: options.server, signal: options.signal });
    const { server, apiKey, auth, clock = systemClock, retryLater = {}, random = Math.random } = options;
    const { url } = checkServerUrl(options.url, { server });
    const given = {
      ...collectHeaders(options, SDK_ONLY),
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
    };
    const headers = checkHeaders(given, { server, reserved: OWNED_HEADERS });
    const authorization = headers['authorization'];

    this.#options = options;
    this.#description = description;
    this.#url = url;
    this.#redactor = createRequestRedactor(headers, url);
    this.#clock = clock;
    this.#network = createHttpClient({
      ...options.network,
      url,
      server,
      headers,
      clock,
      logger: options.logger,
    });
    this.#credentials = createCredentials({ url, provider: auth, authorization, server });
    this.#recovery = { credentials: this.#credentials, redactor: this.#redactor, retryLater, clock, random };
  }

  override describe(): TransportDescription {
    return {
      url: this.#url.origin,
      protocolVersion: this.protocolVersion,
      endpoint: this.#endpoint !== undefined,
      ...this.#description,
      ...this.ignored,
    };
  }

  protected override async open(signal: AbortSignal): Promise<void> {
    const { startTimeoutMs: ms = START_MS, maxMessageBytes = MAX_MESSAGE_BYTES, idleMs = 0 } = this.#options;
    const error = (): Error =>
      this.error('TIMEOUT', `The server did not send its endpoint within ${String(ms)} ms.`, {
        hint: 'Check that the URL is that of an event stream (HTTP+SSE), and whether a proxy buffers the response.',
      });
    this.#endpoint = await withTimeout({ ms, clock: this.#clock, signal, error }, () =>
      openEventStream({
        url: this.#url,
        network: this.#network,
        credentials: this.#credentials,
        recovery: this.#recovery,
        maxMessageBytes,
        transport: this,
        onMessage: (value) => this.#take(value),
      }),
    );
    this.#redactor.learn({}, this.#endpoint);
    this.#idle = watchSilence(this.#clock, idleMs, () => this.#endIdle(idleMs));
  }

  protected override async write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const { requestSignal } = options;
    const lifetime = createLifetime(this);
    const post = new Post({
      message,
      network: this.#network,
      credentials: this.#credentials,
      transport: this,
      lifetime,
      endpoint: this.#endpoint,
      onAnswer: (answer) => this.receive(redactRpcError(answer, this.#redactor.redact)),
    });
    this.#idle?.heard();
    const release = requestSignal && this.onAbort(requestSignal, () => lifetime.end());
    try {
      const reply = await sendWithRecovery(post, this.#recovery);
      if (reply === undefined && lifetime.ended)
        throw this.#abandoned(requestSignal, post.isSent ? 'unknown' : 'not-sent');
    } finally {
      release?.();
      lifetime.end();
    }
  }

  protected override async shutDown(): Promise<void> {
    this.#idle?.[Symbol.dispose]();
    await this.#network.close();
  }

  #abandoned(signal: AbortSignal | undefined, delivery: Delivery): TransportError {
    if (this.ended || signal?.aborted !== true) return this.lost(delivery);
    return this.error('ABORTED', 'The request was aborted by the caller.', {
      cause: signal.reason,
      delivery,
    });
  }

  #take(value: unknown): void {
    this.#idle?.heard();
    this.receive(redactRpcError(value, this.#redactor.redact));
  }

  #endIdle(ms: number): void {
    this.fail(
      this.error('TIMEOUT', `No message was sent or received for ${String(ms)} ms.`, {
        hint: 'Reconnect when the server is needed again.',
      }),
    );
  }
}
