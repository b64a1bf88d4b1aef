import { isRecord } from '@mcp-fittings/toolbox/messages';
import { EventReader } from './event-reader.js';

/** Callbacks and limit of a {@link MessageReader}. */
export interface MessageReaderOptions {
  /** Called with the JSON value of each message. */
  readonly onValue: (value: unknown) => void;
  /** Called when a message is dropped because it is not JSON or not UTF-8. */
  readonly onMalformed: () => void;
  /** Called with the name and the data of each event before the data is parsed. */
  readonly onEvent?: ((event: { readonly event: string; readonly data: string }) => void) | undefined;
  /** Called before `onEvent` with the id of each event that has one, even without data. */
  readonly onId?: ((id: string) => void) | undefined;
  /** Called with the value of each `retry:` in milliseconds, at most 300 000. */
  readonly onRetry?: ((ms: number) => void) | undefined;
  /** Called with the data of each event with the name `error` that is not a message: it may say why the stream will end. */
  readonly onError?: ((data: string) => void) | undefined;
  /**
   * Called for what belongs to no message: each comment, id or other line beyond a few of one event, and each event without data or with
   * another name. A server can send them endlessly.
   */
  readonly onIgnored?: (() => void) | undefined;
  /** Largest event, and longest line, in bytes. Default 67 108 864 (64 MiB). */
  readonly maxEventBytes?: number | undefined;
}

/**
 * Reads the JSON-RPC messages of an event stream: the data of each event without a name or with the name `message`, and messages in
 * events with the name `error`. Events with empty data and events with other names are ignored.
 *
 * @example
 * ```ts
 * const reader = new MessageReader({ onValue: (value) => console.log(value), onMalformed: () => undefined });
 * reader.push(new TextEncoder().encode('data: {"hello":"world"}\n\n'));
 * ```
 */
export class MessageReader {
  readonly #events: EventReader;

  constructor(options: MessageReaderOptions) {
    const { onValue, onMalformed, onEvent, onError, onIgnored } = options;
    this.#events = new EventReader({
      ...options,
      onEvent(event) {
        onEvent?.(event);
        const { data, event: name } = event;
        const isError = name === 'error';
        if (data === '' || (name !== '' && name !== 'message' && !isError)) return onIgnored?.();
        let value: unknown;
        try {
          value = JSON.parse(data);
        } catch {
          if (!isError) return onMalformed();
        }
        if (!isError || (isRecord(value) && 'jsonrpc' in value)) return onValue(value);
        onIgnored?.();
        onError?.(data);
      },
    });
  }

  /**
   * Parses the next bytes and calls back for each complete message. Throws `MESSAGE_TOO_LARGE` if an event exceeds the limit; the
   * stream is unusable then. Thrown from a {@link BodySink}, the error ends the body.
   */
  push(chunk: Uint8Array): void {
    this.#events.push(chunk);
  }
}
