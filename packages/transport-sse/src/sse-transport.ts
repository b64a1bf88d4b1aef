import { systemClock, type Clock, type FittingsError } from '@mcp-fittings/client-core';
import {
  BaseTransport,
  isRequest,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportFacts,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import {
  checkHeaders,
  checkServerUrl,
  createRequestRedactor,
  headersOfOptions,
  redactRpcError,
  SDK_ONLY_OPTIONS,
  withUrl,
  type RequestRedactor,
} from '@mcp-fittings/net-policy';
import {
  challengeKind,
  createCredentials,
  createNetwork,
  pacedNetwork,
  type ChallengeCount,
  type Credentials,
  type Network,
} from '@mcp-fittings/network';
import { openEventStream, type EventStream } from './event-stream.js';
import { createIdleWatch, type IdleWatch } from './idle-watch.js';
import type { SseTransportOptions } from './options.js';
import { post } from './post.js';
import { inBandAnswer, messageRefused, type Refusal, type RefusalFacts } from './refusal.js';

/** They say what the request is; neither a configuration nor a message may change that. */
const OWNED_HEADERS = ['accept', 'cache-control', 'content-type', 'last-event-id'];
const POST_HEADERS = { 'content-type': 'application/json' };
const START_MS = 30_000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const SDK_ONLY: Readonly<Record<string, string>> = {
  ...SDK_ONLY_OPTIONS,
  eventSourceInit: 'Leave it out: `headers` and `network` hold for the stream too.',
};

/**
 * Makes a transport that speaks HTTP+SSE, the older one of the two HTTP transports (revision 2024-11-05). The URL is given in the
 * options, or first, as in the official SDKs.
 * Throws `CONFIG_INVALID` or `HEADER_INVALID` when an option can't be used.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function createSseTransport(options: SseTransportOptions): Transport;
/** The same, with the URL first. */
export function createSseTransport(url: string | URL, options?: Omit<SseTransportOptions, 'url'>): Transport;
export function createSseTransport(
  first: string | URL | SseTransportOptions,
  rest: Omit<SseTransportOptions, 'url'> = {},
): Transport {
  return openSseTransport(withUrl<SseTransportOptions>(first, rest), {});
}

/** The same, with facts of a plugin to describe it by. */
export function openSseTransport(options: SseTransportOptions, facts: TransportFacts): Transport {
  return new SseTransport(options, facts);
}

class SseTransport extends BaseTransport {
  readonly #options: SseTransportOptions;
  readonly #facts: TransportFacts;
  readonly #url: URL;
  readonly #authorization: string | undefined;
  readonly #redactor: RequestRedactor;
  readonly #clock: Clock;
  readonly #network: Network;
  readonly #credentials: Credentials;
  readonly #idle: IdleWatch;
  #stream: EventStream | undefined;
  #endpoint: URL | undefined;

  constructor(options: SseTransportOptions, facts: TransportFacts) {
    super({ server: options.server, signal: options.signal });
    const { server, apiKey, clock = systemClock, idleMs = 0 } = options;
    const { url } = checkServerUrl(options.url, { server });
    const given = {
      ...headersOfOptions(options, SDK_ONLY),
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
    };
    const headers = checkHeaders(given, { server, reserved: OWNED_HEADERS });

    this.#options = options;
    this.#facts = facts;
    this.#url = url;
    this.#authorization = headers['authorization'];
    this.#redactor = createRequestRedactor(headers, url);
    this.#clock = clock;
    this.#network = createNetwork({
      ...options.network,
      url,
      server,
      headers,
      clock,
      logger: options.logger,
    });
    this.#credentials = createCredentials({
      url,
      provider: options.auth,
      configured: this.#authorization !== undefined,
      server,
    });
    this.#idle = createIdleWatch({ idleMs, clock, onIdle: () => this.#endIdle(idleMs) });
  }

  override describe(): TransportFacts {
    return {
      url: this.#url.origin,
      protocolVersion: this.protocolVersion,
      endpoint: this.#endpoint !== undefined,
      ...this.#facts,
      ...this.ignored,
    };
  }

  protected override async open(): Promise<void> {
    this.#stream = openEventStream({
      url: this.#url,
      network: pacedNetwork(this.#network, (source) => this.paced(source)),
      credentials: this.#credentials,
      authorization: this.#authorization,
      startTimeoutMs: this.#options.startTimeoutMs ?? START_MS,
      maxMessageBytes: this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      clock: this.#clock,
      onSigned: (signed) => this.#redactor.learn(signed),
      refusalFacts: () => this.#refusalFacts(),
      makeError: (code, message, details) => this.error(code, message, details),
      onMessage: (data) => this.#take(data),
      onMalformed: () => this.#reportInvalid(),
      onLost: (reason) => this.fail(reason),
    });
    this.#endpoint = await this.#stream.endpoint;
    this.#redactor.learn({}, this.#endpoint);
    this.#idle.start();
  }

  protected override async write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const body = this.encode(message);
    const id = isRequest(message) ? message.id : undefined;
    if (id !== undefined) this.markUnsent(id);
    this.#idle.touch();
    await this.#deliver(message, id, body, options.requestSignal);
  }

  protected override async shutDown(): Promise<void> {
    this.#idle.stop();
    this.#stream?.end();
    await this.#network.close();
  }

  /** Posts a message until it is accepted, or refused for good. */
  async #deliver(
    message: JSONRPCMessage,
    id: RequestId | undefined,
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const giving = signal && {
      signal,
      onAbort: (on: AbortSignal, task: () => void) => this.onAbort(on, task),
    };
    const count: ChallengeCount = { credentials: 0, scope: 0, nonce: 0 };
    for (;;) {
      const signed = await this.#credentials.headers('POST', this.#endpoint);
      const url = this.#endpoint;
      // It is there once `start` has succeeded; what waited for credentials may come after the end.
      if (url === undefined) throw this.lost('not-sent');
      if (id !== undefined) this.markSent(id);
      this.#redactor.learn(signed);
      const headers = { ...POST_HEADERS, ...signed };
      const refused = await post(
        this.#network,
        { url, headers, body },
        (head) => this.#credentials.observe(head),
        giving,
        this.server,
      );
      if (refused === undefined) return;
      const refusal = { ...refused, signed };
      if (!(await this.#recover(message, refusal, count))) return this.#refuse(message, refusal);
    }
  }

  /** True: other credentials are there, and the message is worth to be sent again. */
  async #recover(message: JSONRPCMessage, refused: Refusal, count: ChallengeCount): Promise<boolean> {
    const { head, signed } = refused;
    const kind = challengeKind(head);
    if (kind === undefined) return false;
    const authorization = signed['authorization'] ?? this.#authorization;
    const refusal = (): FittingsError => messageRefused(message, refused, this.#refusalFacts());
    await this.#credentials.recover({ kind, head, method: 'POST', authorization, refusal }, count);
    return true;
  }

  #refuse(message: JSONRPCMessage, refusal: Refusal): void {
    const answer = inBandAnswer(message, refusal);
    if (answer === undefined) throw messageRefused(message, refusal, this.#refusalFacts());
    this.receive(redactRpcError(answer, this.#redactor.redact));
  }

  #take(data: string): void {
    this.#idle.touch();
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      return this.#reportInvalid();
    }
    this.receive(redactRpcError(value, this.#redactor.redact));
  }

  #reportInvalid(): void {
    this.reportCounted('MESSAGE_INVALID', () => 'The server sent an event that is not JSON.');
  }

  #refusalFacts(): RefusalFacts {
    return { server: this.server, now: this.#clock.now(), redact: this.#redactor.redact };
  }

  #endIdle(ms: number): void {
    this.fail(
      this.error('TIMEOUT', `No message came or went for ${String(ms)} ms.`, {
        hint: 'Connect again when needed.',
      }),
    );
  }
}
