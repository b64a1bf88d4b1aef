import { isRecord } from '@mcp-fittings/client-core/transport';
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
  /** Called with the data of each event with the name `error` that is not a message: it may say why the stream will end. */
  readonly onError?: ((data: string) => void) | undefined;
}

/**
 * Creates a reader for the JSON-RPC messages of an event stream: the data of each event without a name or with the name `message`, and
 * messages in events with the name `error`. Events with empty data and events with other names are ignored.
 */
export function createMessageReader(options: MessageReaderOptions): EventReader {
  const { onValue, onMalformed, onEvent, onError, ...rest } = options;
  const { onIgnored } = options;
  return createEventReader({
    ...rest,
    onMalformed,
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
