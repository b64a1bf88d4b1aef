import { TransportError, type Redactor } from '@mcp-fittings/client-core/transport';
import { replyExcerpt } from '@mcp-fittings/remote-policy';
import {
  createMessageReader,
  type BodySink,
  type EventReader,
  type SilenceWatch,
} from '@mcp-fittings/http-client';

/** Where one event stream stands, over all the connections that carried it. Event ids belong to one stream. */
export interface StreamCursor {
  lastEventId: string | undefined;
  /** The latest `retry:`, milliseconds. */
  retryMs: number | undefined;
  /** The present connection brought an event. */
  progressed: boolean;
}

export function createCursor(lastEventId?: string): StreamCursor {
  return { lastEventId, retryMs: undefined, progressed: false };
}

export interface EventSinkOptions {
  readonly cursor: StreamCursor;
  /** Told the JSON value of each event. */
  readonly onValue: (value: unknown) => void;
  /** Told each event id. */
  readonly onId?: ((id: string) => void) | undefined;
  /** An event that holds no JSON. */
  readonly onMalformed: () => void;
  readonly maxEventBytes: number;
  readonly redact: Redactor;
  /** Told of every piece of the body: comments that keep a stream alive count as well. */
  readonly silence?: SilenceWatch | undefined;
}

const EXCERPT_BYTES = 256;

/**
 * Reads one event stream. Fails with `MESSAGE_TOO_LARGE` on an event that exceeds the limit, and with
 * `PROTOCOL_VIOLATION` at the end of what was only called an event stream.
 */
export class EventSink implements BodySink {
  readonly #options: EventSinkOptions;
  readonly #reader: EventReader;
  /** It is an event stream: something in it was understood. */
  #understood = false;
  #head: Uint8Array | undefined;

  constructor(options: EventSinkOptions) {
    const { cursor, maxEventBytes, onMalformed, onValue } = options;
    this.#options = options;
    cursor.progressed = false;
    this.#reader = createMessageReader({
      maxEventBytes,
      onMalformed,
      onId: (id) => this.#takeId(id),
      onRetry: (ms) => {
        this.#understood = true;
        cursor.retryMs = ms;
      },
      onEvent: () => {
        this.#understood = true;
      },
      onValue: (value) => {
        cursor.progressed = true;
        onValue(value);
      },
    });
  }

  data(bytes: Uint8Array): void {
    this.#options.silence?.heard();
    if (this.#head === undefined) this.#head = bytes.subarray(0, EXCERPT_BYTES);
    this.#reader.push(bytes);
  }

  end(): void {
    const text =
      this.#understood || this.#head === undefined ? '' : new TextDecoder().decode(this.#head).trim();
    if (!/^[[{<]/.test(text)) return;
    const beginning = replyExcerpt(text, this.#options.redact, 120);
    throw new TransportError('PROTOCOL_VIOLATION', `The server called this an event stream: ${beginning}`, {
      delivery: 'unknown',
      details: { contentType: 'text/event-stream' },
    });
  }

  #takeId(id: string): void {
    const { cursor, onId } = this.#options;
    this.#understood = true;
    if (id !== cursor.lastEventId) cursor.progressed = true;
    cursor.lastEventId = id === '' ? undefined : id;
    if (id !== '') onId?.(id);
  }
}
