import type {
  Delivery,
  JSONRPCMessage,
  TransportError,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import type { TransportController } from '@mcp-fittings/toolbox/base-transport';
import { RequestRedactor, type RecoveryOptions, sendWithRecovery } from '@mcp-fittings/toolbox/refusal';
import type { Redactor } from '@mcp-fittings/toolbox/text';
import { createLifetime } from '@mcp-fittings/toolbox/timing';
import { createHttpClient, type HttpClient } from '@mcp-fittings/http-client';
import { SilenceWatch } from '@mcp-fittings/http-client/events';
import { openEventStream } from './event-stream.js';
import type { CheckedOptions } from './options.js';
import { Post } from './post.js';

/** Serves a started transport: it has the event stream, the requests that carry messages, and their HTTP client. */
export class SseWire {
  readonly #options: CheckedOptions;
  readonly #transport: TransportController;
  readonly #redactor: RequestRedactor;
  readonly #network: HttpClient;
  readonly #recovery: RecoveryOptions;
  #idle: SilenceWatch | undefined;
  #endpoint: URL | undefined;

  constructor(options: CheckedOptions, transport: TransportController) {
    const { url, shown, server, headers, credentials, retryLater, clock, random } = options;
    this.#options = options;
    this.#transport = transport;
    this.#redactor = new RequestRedactor(headers, url);
    this.#network = createHttpClient({
      ...options.network,
      url: shown,
      server,
      headers,
      clock,
      // It was warned when the options were checked.
      logger: undefined,
    });
    this.#recovery = { credentials, redactor: this.#redactor, retryLater, clock, random };
  }

  get redact(): Redactor {
    return this.#redactor.redact;
  }

  /** Tells whether the server has sent its endpoint. */
  get isOpen(): boolean {
    return this.#endpoint !== undefined;
  }

  /** Opens the event stream. Resolves when the server has sent its endpoint. */
  async open(): Promise<void> {
    const { url, credentials, maxMessageBytes, clock, idleMs } = this.#options;
    const endpoint = await openEventStream({
      url,
      network: this.#network,
      credentials,
      recovery: this.#recovery,
      maxMessageBytes,
      transport: this.#transport,
      onMessage: (value) => this.#take(value),
    });
    this.#endpoint = endpoint;
    this.#redactor.learn({}, endpoint);
    this.#idle = new SilenceWatch(clock, idleMs, () => this.#endIdle(idleMs));
  }

  async write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const { requestSignal } = options;
    const transport = this.#transport;
    const lifetime = createLifetime(transport);
    const post = new Post({
      message,
      network: this.#network,
      credentials: this.#options.credentials,
      transport,
      lifetime,
      endpoint: this.#endpoint,
      onAnswer: (answer) => transport.receive(answer),
    });
    this.#idle?.heard();
    const release = requestSignal && transport.onAbort(requestSignal, () => lifetime.end());
    try {
      const reply = await sendWithRecovery(post, this.#recovery);
      if (reply === undefined && lifetime.ended)
        throw this.#abandoned(requestSignal, post.isSent ? 'unknown' : 'not-sent');
    } finally {
      release?.();
      lifetime.end();
    }
  }

  async close(): Promise<void> {
    this.#idle?.[Symbol.dispose]();
    await this.#network.close();
  }

  #abandoned(signal: AbortSignal | undefined, delivery: Delivery): TransportError {
    const transport = this.#transport;
    if (transport.ended || signal?.aborted !== true) return transport.lost(delivery);
    return transport.aborted(signal, delivery);
  }

  #take(value: unknown): void {
    this.#idle?.heard();
    this.#transport.receive(value);
  }

  #endIdle(ms: number): void {
    this.#transport.fail(
      this.#transport.error('TIMEOUT', `No message was sent or received for ${String(ms)} ms.`, {
        hint: 'Reconnect when the server is needed again.',
      }),
    );
  }
}
