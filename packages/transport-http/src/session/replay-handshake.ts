import { type JSONRPCObject, TransportError } from '@mcp-fittings/client-core';
import { isErrorResponse, isMessage } from '@mcp-fittings/toolbox/messages';
import { replyExcerpt } from '@mcp-fittings/toolbox/refusal';
import { messageHeaders } from '../headers.js';
import type { HttpConnection } from '../http-connection.js';
import { sendOneWay } from '../send-one-way.js';
import { bounded, sendOwnRequest } from './own-request.js';
import type { Handshake } from './session.js';

/** Opens a new session with the parameters of the lost one. */
export async function replayHandshake(lost: Handshake, connection: HttpConnection): Promise<JSONRPCObject> {
  const result = await initialize(lost, connection);
  if (result['protocolVersion'] !== lost.result['protocolVersion']) {
    throw new TransportError(
      'VERSION_UNSUPPORTED',
      'The new session uses another protocol revision than the lost one.',
    );
  }
  connection.session.establish({ params: lost.params, result });
  const message = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
  await bounded(connection, (lifetime) =>
    sendOneWay({ message, options: {}, lifetime, session: 'new' }, connection),
  );
  return result;
}

async function initialize({ params }: Handshake, connection: HttpConnection): Promise<JSONRPCObject> {
  const method = 'initialize';
  const { fields } = messageHeaders({ jsonrpc: '2.0', id: 0, method, params }, undefined, {});
  const answer = await sendOwnRequest(
    {
      method,
      params,
      fields,
      session: 'none',
      handshake: true,
      onHead: (head) => connection.session.offer(head.header('mcp-session-id')),
    },
    connection,
  );
  if (!isMessage(answer) || 'method' in answer) {
    throw new TransportError(
      'PROTOCOL_VIOLATION',
      'The server did not answer `initialize` when the session was reopened.',
    );
  }
  if (isErrorResponse(answer)) {
    const said = replyExcerpt(answer.error.message, connection.redact, 200);
    throw new TransportError('RPC_ERROR', `The server refused to open a new session: ${said}`);
  }
  return answer.result;
}
