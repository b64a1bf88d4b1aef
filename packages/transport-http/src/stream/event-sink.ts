import { TransportError } from '@mcp-fittings/client-core';
import { replyExcerpt } from '@mcp-fittings/toolbox/refusal';
import type { BodySink } from '@mcp-fittings/http-client';
import { MessageReader, type SilenceWatch } from '@mcp-fittings/http-client/events';
import type { HttpConnection } from '../http-connection.js';

/** Position in one event stream, over all connections that carried it. Event ids belong to one stream. */
export interface StreamCursor {
  lastEventId: string | undefined;
  /** The latest `retry:`, in milliseconds. */
  retryMs: number | undefined;
  /** True if the current connection received an event. */
  progressed: boolean;
}

export function createCursor(lastEventId?: string): StreamCursor {
  return { lastEventId, retryMs: undefined, progressed: false };
}

/** Says where an event stream is, and who reads it. */
export interface EventSinkOptions {
  readonly cursor: StreamCursor;
  /** Called with the JSON value of each event. */
  readonly onValue: (value: unknown) => void;
  /** Called with each event id. */
  readonly onId?: ((id: string) => void) | undefined;
  /** Notified of all received bytes, so that comments which keep a stream alive count too. */
  readonly silence?: SilenceWatch | undefined;
}

const EXCERPT_BYTES = 256;

/**
 * Reads one event stream. Fails with `MESSAGE_TOO_LARGE` for an event that exceeds the limit, and with `PROTOCOL_VIOLATION` if the
 * body is JSON or HTML despite its content type.
 */
export class EventSink implements BodySink {
  readonly #connection: HttpConnection;
  readonly #options: EventSinkOptions;
  readonly #reader: MessageReader;
  /** True if it contained a valid field, so that it is an event stream. */
  #understood = false;
  #head: Uint8Array | undefined;
  #ended = false;
  #reported: TransportError | undefined;

  constructor(connection: HttpConnection, options: EventSinkOptions) {
    const { cursor, onValue } = options;
    this.#connection = connection;
    this.#options = options;
    cursor.progressed = false;
    this.#reader = new MessageReader({
      maxEventBytes: connection.options.maxMessageBytes,
      onIgnored: () => connection.transport.markUnsolicited(),
      onMalformed: () => connection.reportMalformed(),
      onId: (id) => this.#takeId(id),
      onRetry: (ms) => {
        this.#understood = true;
        cursor.retryMs = ms;
      },
      onEvent: () => {
        this.#understood = true;
      },
      onError: (data) => {
        const said = replyExcerpt(data, connection.redact, 200);
        this.#reported = new TransportError('SERVER_ERROR', `The server reported an error: ${said}`);
      },
      onValue: (value) => {
        cursor.progressed = true;
        onValue(value);
      },
    });
  }

  /** Tells whether all of the stream was read. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Returns what the server sent in an event with the name `error`, which says why it will end the stream. */
  get reported(): TransportError | undefined {
    return this.#reported;
  }

  data(bytes: Uint8Array): void {
    this.#options.silence?.heard();
    if (this.#head === undefined) this.#head = bytes.subarray(0, EXCERPT_BYTES);
    this.#reader.push(bytes);
  }

  end(): void {
    this.#ended = true;
    const text =
      this.#understood || this.#head === undefined ? '' : new TextDecoder().decode(this.#head).trim();
    if (!/^[[{<]/.test(text)) return;
    const beginning = replyExcerpt(text, this.#connection.redact, 120);
    throw new TransportError(
      'PROTOCOL_VIOLATION',
      `The server sent a body that is not an event stream, despite its content type: ${beginning}`,
      {
        delivery: 'unknown',
        details: { contentType: 'text/event-stream' },
      },
    );
  }

  #takeId(id: string): void {
    const { cursor, onId } = this.#options;
    this.#understood = true;
    if (id !== cursor.lastEventId) cursor.progressed = true;
    cursor.lastEventId = id === '' ? undefined : id;
    if (id !== '') onId?.(id);
  }
}
