import {
  isResponse,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import { isSafeToRepeat } from '@mcp-fittings/net-policy';
import type { MakeError } from '../errors/make-error.js';
import { messageHeaders } from '../headers/message-headers.js';
import type { Lifetime } from '../lifetime.js';
import type { Exchanger } from '../wire/exchanger.js';
import type { Encode } from './encode.js';

export interface UnansweredFacts {
  readonly exchange: Exchanger;
  readonly makeError: MakeError;
  readonly encode: Encode;
  readonly revision: () => string | undefined;
}

/** Nobody wants the reply; so much of it is read to keep the socket. */
const READ_BYTES = 64 * 1024;

/** They speak of requests that a new session has never seen. */
const BOUND_TO_SESSION: ReadonlySet<string> = new Set(['notifications/cancelled', 'notifications/progress']);

/** A notification or a response on its way. */
export interface OutgoingUnanswered {
  readonly message: JSONRPCNotification | JSONRPCResponse;
  readonly options: TransportSendOptions;
  readonly lifetime: Lifetime;
  /** As in `Call`. */
  readonly session: 'current' | 'new';
  /** Called just before it goes on the wire, each time. */
  readonly onSend?: () => void;
}

/** Settles when the server accepted it. */
export async function postUnanswered(outgoing: OutgoingUnanswered, facts: UnansweredFacts): Promise<void> {
  const { message, options, lifetime, session, onSend } = outgoing;
  const { fields, stateless } = messageHeaders(message, facts.revision(), options, facts.makeError);
  await facts.exchange({
    verb: 'POST',
    body: facts.encode(message),
    fields,
    session: stateless ? 'none' : session,
    survivesSession: !isResponse(message) && !BOUND_TO_SESSION.has(message.method),
    safe: isSafeToRepeat(message),
    lifetime,
    onSend,
    accept({ contentType }) {
      // An event stream might never end.
      if (contentType === 'text/event-stream') queueMicrotask(() => lifetime.end());
      return { data: () => undefined, end: () => undefined };
    },
    maxBodyBytes: READ_BYTES,
    overflow: 'truncate',
  });
}
