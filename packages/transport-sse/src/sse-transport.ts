import type {
  Delivery,
  JSONRPCMessage,
  Transport,
  TransportDescription,
  TransportError,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { originOf, SDK_ONLY_OPTIONS, withUrl } from '@mcp-fittings/toolbox/connect';
import {
  type CheckedRemoteOptions,
  checkRemoteOptions,
  type RecoveryOptions,
  RequestRedactor,
  sendWithRecovery,
} from '@mcp-fittings/toolbox/refusal';
import type { Redactor } from '@mcp-fittings/toolbox/text';
import { createLifetime, withTimeout } from '@mcp-fittings/toolbox/timing';
import { createHttpClient, type HttpClient } from '@mcp-fittings/http-client';
import { SilenceWatch } from '@mcp-fittings/http-client/events';
import { openEventStream } from './event-stream.js';
import type { SseTransportOptions } from './options.js';
import { Post } from './post.js';

/** Headers that this transport sets and that cannot be configured. */
const OWNED_HEADERS = ['accept', 'cache-control', 'content-type', 'last-event-id'];
const START_MS = 30_000;
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
  readonly #options: CheckedRemoteOptions;
  readonly #startTimeoutMs: number;
  readonly #idleMs: number;
  readonly #description: TransportDescription;
  readonly #redactor: RequestRedactor;
  readonly #network: HttpClient;
  readonly #recovery: RecoveryOptions;
  #idle: SilenceWatch | undefined;
  /** URL that messages are posted to, which the server sends when the transport starts. */
  #endpoint: URL | undefined;

  constructor(options: SseTransportOptions, description: TransportDescription) {
    super({ server: options.server, signal: options.signal });
    this.#options = checkRemoteOptions(options, { reserved: OWNED_HEADERS, sdkOnly: SDK_ONLY });
    this.#startTimeoutMs = options.startTimeoutMs ?? START_MS;
    this.#idleMs = options.idleMs ?? 0;
    this.#description = description;
    const { server, logger, url, shown, headers, credentials, retryLater, clock, random } = this.#options;
    this.#redactor = new RequestRedactor(headers, url);
    this.#network = createHttpClient({ ...options.network, url: shown, server, headers, clock, logger });
    this.#recovery = { credentials, redactor: this.#redactor, retryLater, clock, random };
  }

  override describe(): TransportDescription {
    return {
      url: originOf(this.#options.shown),
      protocolVersion: this.protocolVersion,
      endpoint: this.#endpoint !== undefined,
      ...this.#description,
      ...this.ignored,
    };
  }

  protected override async open(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const ms = this.#startTimeoutMs;
    const error = (): Error =>
      this.error('TIMEOUT', `The server did not send its endpoint within ${String(ms)} ms.`, {
        hint: 'Check that the URL is that of an event stream (HTTP+SSE), and whether a proxy buffers the response.',
      });
    const endpoint = await withTimeout({ ms, clock, signal, error }, () => this.#openStream());
    this.#endpoint = endpoint;
    this.#redactor.learn({}, endpoint);
    this.#idle = new SilenceWatch(clock, this.#idleMs, () => this.#endIdle());
  }

  protected override get redact(): Redactor {
    return this.#redactor.redact;
  }

  protected override async write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const { requestSignal } = options;
    const lifetime = createLifetime(this);
    const post = new Post({
      message,
      network: this.#network,
      credentials: this.#options.credentials,
      transport: this,
      lifetime,
      endpoint: this.#endpoint,
      onAnswer: (answer) => this.receive(answer),
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

  /** Resolves with the endpoint. */
  #openStream(): Promise<URL> {
    const { url, credentials, maxMessageBytes } = this.#options;
    return openEventStream({
      url,
      network: this.#network,
      credentials,
      recovery: this.#recovery,
      maxMessageBytes,
      transport: this,
      onMessage: (value) => {
        this.#idle?.heard();
        this.receive(value);
      },
    });
  }

  #abandoned(signal: AbortSignal | undefined, delivery: Delivery): TransportError {
    if (this.ended || signal?.aborted !== true) return this.lost(delivery);
    return this.aborted(signal, delivery);
  }

  #endIdle(): void {
    this.fail(
      this.error('TIMEOUT', `No message was sent or received for ${String(this.#idleMs)} ms.`, {
        hint: 'Reconnect when the server is needed again.',
      }),
    );
  }
}
