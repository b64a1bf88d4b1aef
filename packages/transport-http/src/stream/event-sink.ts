import { createEventReader } from '@mcp-fittings/network';
import { excerpt, type Redact } from '../errors/excerpt.js';
import type { MakeError } from '../errors/make-error.js';
import type { BodySink } from '../wire/send.js';
import type { StreamCursor } from './cursor.js';

export interface EventSinkOptions {
  readonly cursor: StreamCursor;
  /** Told the JSON value of each event. */
  readonly onValue: (value: unknown) => void;
  /** Told each event id. */
  readonly onId?: ((id: string) => void) | undefined;
  /** An event that holds no JSON. */
  readonly onMalformed: () => void;
  readonly maxEventBytes: number;
  readonly server: string | undefined;
  readonly makeError: MakeError;
  readonly redact: Redact;
}

const EXCERPT_BYTES = 256;

/**
 * Reads one event stream. Fails with `MESSAGE_TOO_LARGE` on an event that exceeds the limit, and with
 * `PROTOCOL_VIOLATION` at the end of what was only called an event stream.
 */
export function eventSink(options: EventSinkOptions): BodySink {
  const { cursor, onValue, onMalformed, makeError, redact } = options;
  let understood = false;
  let head: Uint8Array | undefined;
  cursor.progressed = false;

  const reader = createEventReader({
    maxEventBytes: options.maxEventBytes,
    server: options.server,
    onId(id) {
      understood = true;
      if (id !== cursor.lastEventId) cursor.progressed = true;
      cursor.lastEventId = id === '' ? undefined : id;
      if (id !== '') options.onId?.(id);
    },
    onRetry(ms) {
      understood = true;
      cursor.retryMs = ms;
    },
    onMalformed,
    onEvent({ event, data }) {
      understood = true;
      // An empty event only carries an id.
      if (data === '' || (event !== '' && event !== 'message')) return;
      let value: unknown;
      try {
        value = JSON.parse(data);
      } catch {
        return onMalformed();
      }
      cursor.progressed = true;
      onValue(value);
    },
  });

  return {
    data(bytes) {
      if (head === undefined) head = bytes.subarray(0, EXCERPT_BYTES);
      reader.push(bytes);
    },
    end() {
      const text = understood || head === undefined ? '' : new TextDecoder().decode(head).trim();
      if (!/^[[{<]/.test(text)) return;
      throw makeError(
        'PROTOCOL_VIOLATION',
        `The server called this an event stream: ${excerpt(text, redact, 120)}`,
        {
          delivery: 'unknown',
          details: { contentType: 'text/event-stream' },
        },
      );
    },
  };
}
