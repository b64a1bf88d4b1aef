import { createByteParts, type TransportError } from '@mcp-fittings/client-core/transport';
import type { Clock, ErrorCode, FittingsErrorOptions } from '@mcp-fittings/client-core';
import {
  challengeKind,
  createEventReader,
  type ChallengeCount,
  type Credentials,
  type EventReader,
  type Exchange,
  type Network,
  type ResponseHead,
  type ServerEvent,
} from '@mcp-fittings/network';
import { parseEndpoint } from './endpoint.js';
import { streamRefused, type Refusal, type RefusalFacts } from './refusal.js';

export interface EventStreamOptions {
  readonly url: URL;
  readonly network: Pick<Network, 'exchange'>;
  readonly credentials: Credentials;
  /** A configured `Authorization`. */
  readonly authorization: string | undefined;
  readonly startTimeoutMs: number;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  /** Told how the stream is about to be asked for. */
  readonly onSigned: (headers: Readonly<Record<string, string>>) => void;
  readonly refusalFacts: () => RefusalFacts;
  readonly makeError: (code: ErrorCode, message: string, options?: FittingsErrorOptions) => TransportError;
  /** The data of a `message` event. */
  readonly onMessage: (data: string) => void;
  /** An event could not be read. */
  readonly onMalformed: () => void;
  /** The stream has ended, after its endpoint was known. */
  readonly onLost: (reason: TransportError) => void;
}

/** The stream on which everything from the server comes. */
export interface EventStream {
  /** Where messages go. Rejects when the server does not say so in time, or in a way that is not acceptable. */
  readonly endpoint: Promise<URL>;
  /** Ends it silently. */
  end(): void;
}

const HEADERS = { accept: 'text/event-stream', 'cache-control': 'no-store' };
/** Of an answer that is no stream, so much is read. */
const READ_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);

/**
 * Opens the stream. It is opened once: a stream that ends is not sought again, because a new one means a new session,
 * which only the host can begin.
 */
export function openEventStream(options: EventStreamOptions): EventStream {
  return new LegacyEventStream(options);
}

class LegacyEventStream implements EventStream {
  readonly endpoint: Promise<URL>;
  readonly #options: EventStreamOptions;
  readonly #timer: Disposable;
  readonly #challenges: ChallengeCount = { credentials: 0, scope: 0, nonce: 0 };
  #settle:
    { readonly resolve: (endpoint: URL) => void; readonly reject: (error: unknown) => void } | undefined;
  #exchange: Exchange | undefined;
  #state: 'opening' | 'open' | 'ended' = 'opening';

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.endpoint = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    const { startTimeoutMs: ms, makeError, clock } = options;
    this.#timer = clock.schedule(() => {
      this.#giveUp(
        makeError('TIMEOUT', `The server named no endpoint within ${String(ms)} ms.`, {
          hint: 'Check that the URL is that of an event stream (HTTP+SSE), and what stands between.',
        }),
      );
    }, ms);
    void this.#attempt();
  }

  end(): void {
    this.#giveUp(
      this.#options.makeError('TRANSPORT_CLOSED', 'The transport was closed while it was starting.'),
    );
  }

  /** The end without a word, but for whoever still waits for the endpoint. */
  #giveUp(reason: unknown): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#timer[Symbol.dispose]();
    this.#exchange?.abort();
    this.#settle?.reject(reason);
  }

  #fail(reason: TransportError): void {
    const wasOpen = this.#state === 'open';
    this.#giveUp(reason);
    if (wasOpen) this.#options.onLost(reason);
  }

  async #attempt(): Promise<void> {
    const { credentials, network, url } = this.#options;
    try {
      const signed = await credentials.headers('GET');
      if (this.#state === 'ended') return;
      this.#options.onSigned(signed);
      this.#request(network, url, signed);
    } catch (cause) {
      this.#giveUp(cause);
    }
  }

  #request(network: Pick<Network, 'exchange'>, url: URL, signed: Readonly<Record<string, string>>): void {
    const { credentials } = this.#options;
    const page = createByteParts();
    let head: ResponseHead | undefined;
    let reader: EventReader | undefined;
    const headers = { ...HEADERS, ...signed };
    this.#exchange = network.exchange(
      { url, method: 'GET', headers, eventStream: true, maxBodyBytes: READ_BYTES, overflow: 'truncate' },
      {
        onHeaders: (received) => {
          head = received;
          credentials.observe(head);
          // As the network, which bounds all else.
          if (head.status >= 200 && head.status <= 299 && head.contentType === 'text/event-stream')
            reader = this.#reader(head.url);
        },
        onData: (bytes) => {
          if (reader === undefined) page.add(bytes);
          else reader.push(bytes);
        },
        onEnd: () => {
          if (head === undefined || reader !== undefined) return this.#fail(this.#ended());
          const text = new TextDecoder().decode(page.take(NOTHING));
          void this.#refused({ head, text, signed });
        },
        onError: (error) => this.#fail(error),
      },
    );
  }

  async #refused(refusal: Refusal): Promise<void> {
    const { credentials, refusalFacts } = this.#options;
    const { head, signed } = refusal;
    const kind = challengeKind(head);
    const error = () => streamRefused(refusal, refusalFacts());
    if (kind === undefined) return this.#giveUp(error());
    const authorization = signed['authorization'] ?? this.#options.authorization;
    try {
      await credentials.recover(
        { kind, head, method: 'GET', authorization, refusal: error },
        this.#challenges,
      );
    } catch (cause) {
      return this.#giveUp(cause);
    }
    if (this.#state !== 'ended') await this.#attempt();
  }

  #reader(url: URL): EventReader {
    const { maxMessageBytes, onMalformed, refusalFacts } = this.#options;
    return createEventReader({
      onEvent: (event) => this.#take(event, url),
      onMalformed,
      maxEventBytes: maxMessageBytes,
      server: refusalFacts().server,
    });
  }

  /** Other names than these two mean nothing. */
  #take({ event, data }: ServerEvent, url: URL): void {
    if (this.#state === 'ended') return;
    if (event === 'endpoint') this.#takeEndpoint(data, url);
    else if (event === '' || event === 'message') this.#takeMessage(data);
  }

  /** Only the first one counts: another one later would send what belongs to this session somewhere else. */
  #takeEndpoint(data: string, url: URL): void {
    if (this.#state !== 'opening') return;
    const endpoint = parseEndpoint(data, url);
    if (!(endpoint instanceof URL)) return this.#fail(this.#violation(`The server ${endpoint.problem}.`));
    this.#state = 'open';
    this.#timer[Symbol.dispose]();
    this.#settle?.resolve(endpoint);
  }

  #takeMessage(data: string): void {
    if (this.#state === 'open') this.#options.onMessage(data);
    else this.#fail(this.#violation('The server sent a message before it named its endpoint.'));
  }

  #violation(message: string): TransportError {
    return this.#options.makeError('PROTOCOL_VIOLATION', message, {
      hint: 'Check the URL, and what stands between: a proxy may have changed addresses.',
    });
  }

  #ended(): TransportError {
    const { makeError, url } = this.#options;
    return makeError('CONNECTION_LOST', 'The server ended the event stream.', {
      details: { url: url.origin },
    });
  }
}
