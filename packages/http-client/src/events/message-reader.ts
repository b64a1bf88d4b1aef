import {
  createEventReader,
  type EventReader,
  type EventReaderOptions,
  type ServerEvent,
} from './event-reader.js';

export interface MessageReaderOptions extends Omit<EventReaderOptions, 'onEvent' | 'onMalformed'> {
  /** Told the JSON value of each message. */
  readonly onValue: (value: unknown) => void;
  /** A message that is not JSON, or not UTF-8, was dropped. */
  readonly onMalformed: () => void;
  /** Told each event before it is read, whatever it is called. */
  readonly onEvent?: ((event: ServerEvent) => void) | undefined;
}

/**
 * Reads the JSON-RPC messages of an event stream: the data of each event that has no name or is called `message`. An event
 * without data carries an id only; other names mean nothing in MCP.
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
