import { TransportError, type TransportController } from '@mcp-fittings/client-core/transport';
import {
  sendWithRecovery,
  type Credentials,
  type RecoveryOptions,
  type RefusedReply,
  type RemoteRequest,
} from '@mcp-fittings/remote-policy';
import {
  createMessageReader,
  roundTrip,
  type AcceptedReply,
  type BodySink,
  type EventReader,
  type Network,
  type ResponseHead,
  type ServerEvent,
} from '@mcp-fittings/http-client';
import { parseEndpoint } from './endpoint.js';
import { STREAM_TABLE } from './status-table.js';

export interface EventStreamOptions {
  readonly url: URL;
  readonly network: Pick<Network, 'exchange'>;
  readonly credentials: Credentials;
  readonly recovery: RecoveryOptions;
  readonly maxMessageBytes: number;
  readonly transport: TransportController;
  /** The value of a `message` event. */
  readonly onMessage: (value: unknown) => void;
}

const HEADERS = { accept: 'text/event-stream', 'cache-control': 'no-store' };
/** Of an answer that is no stream, so much is read. */
const READ_BYTES = 64 * 1024;

/**
 * Opens the stream on which everything from the server comes, and settles with the address to which messages go. Rejects
 * if there is no stream, or if it names its endpoint in a way that is not acceptable. When the stream ends later the
 * transport fails: a stream is not sought again, because a new one means a new session, which only the host can begin.
 */
export function openEventStream(options: EventStreamOptions): Promise<URL> {
  return new Promise((resolve, reject) => {
    const stream = new EventStream(options, resolve);
    sendWithRecovery(stream, options.recovery).then((reply) => {
      const reason = reply?.broken ?? stream.ended();
      reject(reason);
      if (stream.isOpen)
        options.transport.fail(options.transport.asTransportError(reason, 'CONNECTION_LOST'));
    }, reject);
  });
}

class EventStream implements RemoteRequest<AcceptedReply>, BodySink {
  readonly what = 'GET';
  readonly method = 'GET';
  readonly safe = true;
  readonly table = STREAM_TABLE;
  readonly lifetime: TransportController;
  readonly #options: EventStreamOptions;
  readonly #resolve: (endpoint: URL) => void;
  #url: URL;
  #isOpen = false;
  readonly #reader: EventReader;

  constructor(options: EventStreamOptions, resolve: (endpoint: URL) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#url = options.url;
    this.lifetime = options.transport;
    this.#reader = createMessageReader({
      onEvent: (event) => this.#takeEvent(event),
      onValue: (value) => this.#takeValue(value),
      onMalformed: () => options.transport.reportCounted('MESSAGE_INVALID', () => NOT_JSON),
      maxEventBytes: options.maxMessageBytes,
    });
  }

  /** The endpoint is known. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(signed: Readonly<Record<string, string>>): Promise<AcceptedReply | RefusedReply | undefined> {
    const { url, network, transport } = this.#options;
    const request = {
      url,
      method: 'GET',
      headers: { ...HEADERS, ...signed },
      eventStream: true,
      paced: transport.paced.bind(transport),
      maxBodyBytes: READ_BYTES,
      overflow: 'truncate',
    } as const;
    return roundTrip(network, request, transport, (head) => this.#accept(head));
  }

  data(bytes: Uint8Array): void {
    this.#reader.push(bytes);
  }

  end(): void {
    throw this.ended();
  }

  ended(): TransportError {
    return new TransportError('CONNECTION_LOST', 'The server ended the event stream.', {
      details: { url: this.#options.url.origin },
    });
  }

  #accept(head: ResponseHead): BodySink | undefined {
    this.#options.credentials.observe(head);
    // As the network, which bounds all else.
    if (head.status < 200 || head.status > 299 || head.contentType !== 'text/event-stream') return undefined;
    this.#url = head.url;
    return this;
  }

  /** Only the first endpoint counts: another one later would send what belongs to this session somewhere else. */
  #takeEvent({ event, data }: ServerEvent): void {
    if (event !== 'endpoint' || this.#isOpen) return;
    const endpoint = parseEndpoint(data, this.#url);
    if (!(endpoint instanceof URL)) throw violation(`The server ${endpoint.problem}.`);
    this.#isOpen = true;
    this.#resolve(endpoint);
  }

  #takeValue(value: unknown): void {
    if (!this.#isOpen) throw violation('The server sent a message before it named its endpoint.');
    this.#options.onMessage(value);
  }
}

const NOT_JSON = 'The server sent an event that is not JSON.';

function violation(message: string): TransportError {
  return new TransportError('PROTOCOL_VIOLATION', message, {
    hint: 'Check the URL, and what stands between: a proxy may have changed addresses.',
  });
}
