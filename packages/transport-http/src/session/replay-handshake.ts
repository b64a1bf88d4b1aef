import {
  isErrorResponse,
  isMessage,
  TransportError,
  type JSONRPCObject,
} from '@mcp-fittings/client-core/transport';
import { createLifetime, replyExcerpt, type Lifetime } from '@mcp-fittings/remote-policy';
import type { BodySink, ResponseHead } from '@mcp-fittings/http-client';
import { messageHeaders } from '../headers.js';
import type { HttpConnection } from '../http-connection.js';
import { sendOneWay } from '../send-one-way.js';
import { JsonSink, OwnAnswer, unusableSink } from '../reply.js';
import { createCursor, EventSink } from '../stream/event-sink.js';
import type { Handshake } from './session.js';

/** Limit in milliseconds for a server that never answers, because all messages wait for the session. */
const REPLAY_MS = 30_000;

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

async function initialize(lost: Handshake, connection: HttpConnection): Promise<JSONRPCObject> {
  const id = 'mcp-fittings-new-session';
  const request = { jsonrpc: '2.0', id, method: 'initialize', params: lost.params } as const;
  let answer: unknown;
  await bounded(connection, async (lifetime) => {
    const onAnswer = (value: unknown): void => {
      answer ??= value;
      // The rest of an event stream is not needed.
      queueMicrotask(() => lifetime.end());
    };
    const own = new OwnAnswer({ id, batches: false, resumed: false, onAnswer }, connection);
    const reply = await connection.send({
      method: 'POST',
      body: connection.transport.encode(request),
      fields: messageHeaders(request, undefined, {}, []).fields,
      session: 'none',
      handshake: true,
      safe: true,
      eventStream: true,
      lifetime,
      accept: (head) => acceptReply(head, own, connection),
    });
    if (answer === undefined && reply?.broken !== undefined) throw reply.broken;
  });
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

function acceptReply(head: ResponseHead, own: OwnAnswer, connection: HttpConnection): BodySink {
  const { redact, session, options } = connection;
  session.offer(head.header('mcp-session-id'));
  if (head.contentType === 'application/json') return new JsonSink(own, redact);
  if (head.contentType !== 'text/event-stream') return unusableSink(head, redact);
  return new EventSink({
    cursor: createCursor(),
    onValue: (value) => own.take(value),
    onMalformed: () => connection.reportMalformed(),
    maxEventBytes: options.maxMessageBytes,
    redact,
  });
}

/** Runs `work` with a lifetime of its own; rejects with `TIMEOUT` if it is not done in time. */
async function bounded(
  connection: HttpConnection,
  work: (lifetime: Lifetime) => Promise<void>,
): Promise<void> {
  const lifetime = createLifetime(connection.transport);
  let late = false;
  const timer = connection.options.clock.schedule(() => {
    late = true;
    lifetime.end();
  }, REPLAY_MS);
  try {
    await work(lifetime);
  } finally {
    timer[Symbol.dispose]();
    lifetime.end();
  }
  if (late) throw new TransportError('TIMEOUT', 'The server did not open a new session in time.');
}
