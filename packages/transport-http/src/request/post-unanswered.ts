import {
  isResponse,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import { isSafeToRepeat, type LifetimeSignal } from '@mcp-fittings/remote-policy';
import { messageHeaders } from '../headers.js';
import type { HttpCall, HttpWire } from '../http-wire.js';

/** So much of the reply, which says nothing, is read to keep the socket. */
const READ_BYTES = 64 * 1024;

/** They speak of requests that a new session has never seen. */
const BOUND_TO_SESSION: ReadonlySet<string> = new Set(['notifications/cancelled', 'notifications/progress']);

/** A notification or a response on its way. */
export interface OutgoingUnanswered {
  readonly message: JSONRPCNotification | JSONRPCResponse;
  readonly options: TransportSendOptions;
  readonly lifetime: LifetimeSignal;
  readonly session: Exclude<HttpCall['session'], 'none'>;
  /** Called just before it goes on the wire, each time. */
  readonly onSend?: () => void;
}

/** Settles when the server accepted it. */
export async function postUnanswered(outgoing: OutgoingUnanswered, wire: HttpWire): Promise<void> {
  const { message, options, lifetime, session, onSend } = outgoing;
  const { fields, stateless } = messageHeaders(message, wire.transport.protocolVersion, options);
  await wire.send({
    method: 'POST',
    body: wire.transport.encode(message),
    fields,
    session: stateless ? 'none' : session,
    survivesSession: !isResponse(message) && !BOUND_TO_SESSION.has(message.method),
    safe: isSafeToRepeat(message),
    lifetime,
    onSend,
    accept: () => 'discard',
    maxBodyBytes: READ_BYTES,
    overflow: 'truncate',
  });
}
