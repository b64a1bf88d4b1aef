import type { JSONRPCNotification, JSONRPCResponse, TransportSendOptions } from '@mcp-fittings/client-core';
import { isResponse } from '@mcp-fittings/toolbox/messages';
import { isSafeToRepeat } from '@mcp-fittings/toolbox/refusal';
import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import type { HttpCall, HttpConnection } from './http-connection.js';

/** Bytes of the reply, which has no content, that are read in order to keep the socket. */
const READ_BYTES = 64 * 1024;

/** They refer to requests that a new session does not know. */
const BOUND_TO_SESSION: ReadonlySet<string> = new Set(['notifications/cancelled', 'notifications/progress']);

/** A notification or a response to send. */
export interface OneWayMessage {
  readonly message: JSONRPCNotification | JSONRPCResponse;
  readonly options: TransportSendOptions;
  readonly lifetime: LifetimeSignal;
  readonly session: Exclude<HttpCall['session'], 'none'>;
  /** Called before each attempt is sent. */
  readonly onSend?: () => void;
}

/** Sends a message that has no answer. Resolves when the server has accepted it. */
export async function sendOneWay(outgoing: OneWayMessage, connection: HttpConnection): Promise<void> {
  const { message, options, lifetime, session, onSend } = outgoing;
  const { fields, stateless } = connection.headersOf(message, options);
  await connection.send({
    method: 'POST',
    body: connection.transport.encode(message),
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
