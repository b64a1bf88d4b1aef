import {
  createEventReader,
  type EventReader,
  type EventReaderOptions,
  type ServerEvent,
} from './event-reader.js';

/** Callbacks and limit of a message reader. */
export interface MessageReaderOptions extends Omit<EventReaderOptions, 'onEvent' | 'onMalformed'> {
  /** Called with the JSON value of each message. */
  readonly onValue: (value: unknown) => void;
  /** Called when a message is dropped because it is not JSON or not UTF-8. */
  readonly onMalformed: () => void;
  /** Called with each event before its data is parsed, whatever its name. */
  readonly onEvent?: ((event: ServerEvent) => void) | undefined;
}

/**
 * Creates a reader for the JSON-RPC messages of an event stream: the data of each event without a name or with the name `message`.
 * Events with empty data and events with other names are ignored.
 */
export function createMessageReader(options: MessageReaderOptions): EventReader {
  const { onValue, onMalformed, onEvent, ...rest } = options;
  return createEventReader({
    ...rest,
    onMalformed,
    onEvent(event) {
      onEvent?.(event);
      const { data } = event;
      if (data === '' || (event.event !== '' && event.event !== 'message')) return;
      let value: unknown;
      try {
        value = JSON.parse(data);
      } catch {
        return onMalformed();
      }
      onValue(value);
    },
  });
}
