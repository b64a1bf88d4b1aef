import type { ResponseHead } from '@mcp-fittings/network';
import type { Redact } from '../errors/excerpt.js';
import type { MakeError } from '../errors/make-error.js';
import type { StreamCursor } from '../stream/cursor.js';
import { eventSink } from '../stream/event-sink.js';
import type { BodySink } from '../wire/send.js';
import type { Inbox } from './inbox.js';
import { jsonSink } from './json-sink.js';
import type { OwnAnswer } from './own-answer.js';
import { unusableSink } from './unusable-sink.js';

/** What reading needs to know about this connection. */
export interface ReadingFacts {
  readonly server: string | undefined;
  readonly maxMessageBytes: number;
  readonly makeError: MakeError;
  readonly inbox: Inbox;
}

export interface ReplyTarget {
  readonly answer: OwnAnswer;
  readonly cursor: StreamCursor;
  readonly onId?: ((id: string) => void) | undefined;
  /** The reply is an event stream. */
  readonly onStream: () => void;
}

/** Who takes the body of a reply to a request: both kinds that the specification knows, and a failure for the rest. */
export function acceptReply(
  head: ResponseHead,
  redact: Redact,
  target: ReplyTarget,
  facts: ReadingFacts,
): BodySink {
  const { answer, cursor, onId, onStream } = target;
  switch (head.contentType) {
    case 'application/json':
      return jsonSink((value) => answer.take(value, true), facts.makeError, redact);
    case 'text/event-stream':
      onStream();
      return eventSink({
        cursor,
        onId,
        onValue: (value) => answer.take(value),
        onMalformed: facts.inbox.malformed,
        maxEventBytes: facts.maxMessageBytes,
        server: facts.server,
        makeError: facts.makeError,
        redact,
      });
    default:
      return unusableSink(head, facts.makeError, redact);
  }
}
