import { TransportError } from '@mcp-fittings/client-core';
import { PacedSource, type Pausable, type TransportController } from '@mcp-fittings/toolbox/base-transport';
import {
  createStatusTable,
  type Credentials,
  type RecoveryOptions,
  type RefusedReply,
  type RemoteRequest,
  replyExcerpt,
  sendWithRecovery,
  wrongEndpointRows,
} from '@mcp-fittings/toolbox/refusal';
import type { AcceptedReply, BodySink, HttpClient, ResponseHead } from '@mcp-fittings/http-client';
import { MessageReader } from '@mcp-fittings/http-client/events';

/** Says where the stream is opened, and what uses it. */
export interface EventStreamOptions {
  readonly url: URL;
  readonly network: Pick<HttpClient, 'send'>;
  readonly credentials: Credentials;
  readonly recovery: RecoveryOptions;
  readonly maxMessageBytes: number;
  readonly transport: TransportController;
  /** Called with the JSON value of each `message` event. */
  readonly onMessage: (value: unknown) => void;
}

/** Some statuses mean that there is no event stream at this URL, and so does a success of another content type. */
const STREAM_TABLE = createStatusTable(
  wrongEndpointRows(
    [[200, 299], 400, [404, 406], 410, 415, 501],
    'Check the URL. If the server speaks Streamable HTTP, use the type `http`.',
  ),
);

const HEADERS = { accept: 'text/event-stream', 'cache-control': 'no-store' };
/** Bytes that are read of a response that is not an event stream. */
const READ_BYTES = 64 * 1024;

/**
 * Opens the event stream, which carries everything that the server sends, and resolves with the URL that messages are posted to.
 * Rejects if there is no stream, or if its endpoint is not acceptable. If the stream ends later, the transport fails: a new
 * stream would start a new session, which only the host can do.
 */
export function openEventStream(options: EventStreamOptions): Promise<URL> {
  return new Promise((resolve, reject) => {
    const stream = new EventStream(options, resolve);
    sendWithRecovery(stream, options.recovery).then((reply) => {
      const reason = stream.reported ?? reply?.broken ?? stream.ended();
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
  #reported: TransportError | undefined;
  readonly #reader: MessageReader;

  constructor(options: EventStreamOptions, resolve: (endpoint: URL) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#url = options.url;
    this.lifetime = options.transport;
    this.#reader = new MessageReader({
      onEvent: (event) => this.#takeEvent(event),
      onValue: (value) => this.#takeValue(value),
      onError: (data) => this.#takeError(data),
      onIgnored: () => options.transport.markUnsolicited(),
      onMalformed: () => options.transport.reportCounted('MESSAGE_INVALID', () => NOT_JSON),
      maxEventBytes: options.maxMessageBytes,
    });
  }

  /** Tells whether the endpoint is known. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns what the server sent in an event with the name `error`, which says why it will end the stream. */
  get reported(): TransportError | undefined {
    return this.#reported;
  }

  send(signed: Readonly<Record<string, string>>): Promise<AcceptedReply | RefusedReply | undefined> {
    const { url, network, transport } = this.#options;
    const request = {
      url,
      method: 'GET',
      headers: { ...HEADERS, ...signed },
      eventStream: true,
      paced: (source: Pausable) => new PacedSource(transport, source),
      maxBodyBytes: READ_BYTES,
      overflow: 'truncate',
    } as const;
    return network.send(request, transport, (head) => this.#accept(head));
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
    // The HTTP client limits the body of any other response.
    if (head.status < 200 || head.status > 299 || head.contentType !== 'text/event-stream') return undefined;
    this.#url = head.url;
    return this;
  }

  /** Only the first endpoint counts: a later one would send messages of this session to another URL. */
  #takeEvent({ event, data }: { readonly event: string; readonly data: string }): void {
    if (event !== 'endpoint' || this.#isOpen) return;
    const endpoint = parseEndpoint(data, this.#url);
    this.#isOpen = true;
    this.#resolve(endpoint);
  }

  #takeError(data: string): void {
    const { url, recovery } = this.#options;
    const said = replyExcerpt(data, recovery.redactor.redact, 200);
    this.#reported = new TransportError('CONNECTION_LOST', `The server ended the event stream: ${said}`, {
      details: { url: url.origin },
    });
  }

  #takeValue(value: unknown): void {
    if (!this.#isOpen) throw violation('The server sent a message before its endpoint event.');
    this.#options.onMessage(value);
  }
}

const NOT_JSON = 'The server sent an event that is not JSON.';

function violation(message: string): TransportError {
  return new TransportError('PROTOCOL_VIOLATION', message, {
    hint: 'Check the URL, and whether a proxy between client and server rewrites URLs.',
  });
}

/** Longer endpoints are refused. */
const MAX_ENDPOINT_LENGTH = 8192;

/**
 * Returns the URL that messages are posted to, from the data of an `endpoint` event: a relative or absolute URL of the stream's
 * own origin. Throws `PROTOCOL_VIOLATION` for anything else, without the text, which may contain a session id.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
function parseEndpoint(data: string, stream: URL): URL {
  if (data.trim() === '') throw violation('The server sent an endpoint event without a URL.');
  if (data.length > MAX_ENDPOINT_LENGTH) throw violation('The server sent an endpoint URL that is too long.');
  if (!URL.canParse(data, stream.href))
    throw violation('The server sent an endpoint that is not a valid URL.');
  const endpoint = new URL(data, stream.href);
  if (endpoint.origin !== stream.origin)
    throw violation('The server sent an endpoint URL of another origin.');
  if (endpoint.username !== '' || endpoint.password !== '') {
    throw violation('The server sent an endpoint URL that contains a user name or password.');
  }
  endpoint.hash = '';
  return endpoint;
}
