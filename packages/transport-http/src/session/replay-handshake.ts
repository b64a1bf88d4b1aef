import {
  isErrorResponse,
  isMessage,
  TransportError,
  type JSONRPCObject,
} from '@mcp-fittings/client-core/transport';
import { createLifetime, replyExcerpt, type Lifetime } from '@mcp-fittings/remote-policy';
import type { BodySink, ResponseHead } from '@mcp-fittings/http-client';
import { messageHeaders } from '../headers.js';
import type { HttpWire } from '../http-wire.js';
import { postUnanswered } from '../request/post-unanswered.js';
import { JsonSink, OwnAnswer, unusableSink } from '../request/reply.js';
import { createCursor, EventSink } from '../stream/event-sink.js';
import type { Handshake } from './session.js';

/** A server that accepts the question and never answers holds up all that wait for the session. */
const REPLAY_MS = 30_000;

/** Opens a new session in the way in which the lost one was opened. */
export async function replayHandshake(lost: Handshake, wire: HttpWire): Promise<JSONRPCObject> {
  const result = await initialize(lost, wire);
  if (result['protocolVersion'] !== lost.result['protocolVersion']) {
    throw new TransportError(
      'VERSION_UNSUPPORTED',
      'The new session has another protocol revision than the lost one.',
    );
  }
  wire.session.establish({ params: lost.params, result });
  const message = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
  await bounded(wire, (lifetime) => postUnanswered({ message, options: {}, lifetime, session: 'new' }, wire));
  return result;
}

async function initialize(lost: Handshake, wire: HttpWire): Promise<JSONRPCObject> {
  const id = 'mcp-fittings-new-session';
  const request = { jsonrpc: '2.0', id, method: 'initialize', params: lost.params } as const;
  let answer: unknown;
  await bounded(wire, async (lifetime) => {
    const onAnswer = (value: unknown): void => {
      answer ??= value;
      // The rest of an event stream, if there is one, is of no interest.
      queueMicrotask(() => lifetime.end());
    };
    const own = new OwnAnswer({ id, batches: false, resumed: false, onAnswer }, wire);
    const reply = await wire.send({
      method: 'POST',
      body: wire.transport.encode(request),
      fields: messageHeaders(request, undefined, {}).fields,
      session: 'none',
      handshake: true,
      safe: true,
      eventStream: true,
      lifetime,
      accept: (head) => acceptReply(head, own, wire),
    });
    if (answer === undefined && reply?.broken !== undefined) throw reply.broken;
  });
  if (!isMessage(answer) || 'method' in answer) {
    throw new TransportError('PROTOCOL_VIOLATION', 'The server did not answer `initialize`.');
  }
  if (isErrorResponse(answer)) {
    const said = replyExcerpt(answer.error.message, wire.redact, 200);
    throw new TransportError('RPC_ERROR', `The server refused a new session: ${said}`);
  }
  return answer.result;
}

function acceptReply(head: ResponseHead, own: OwnAnswer, wire: HttpWire): BodySink {
  const { redact, session, options } = wire;
  session.offer(head.header('mcp-session-id'));
  if (head.contentType === 'application/json') return new JsonSink(own, redact);
  if (head.contentType !== 'text/event-stream') return unusableSink(head, redact);
  return new EventSink({
    cursor: createCursor(),
    onValue: (value) => own.take(value),
    onMalformed: () => wire.reportMalformed(),
    maxEventBytes: options.maxMessageBytes,
    redact,
  });
}

/** Gives `work` a lifetime of its own; rejects with `TIMEOUT` when it is not done in time. */
async function bounded(wire: HttpWire, work: (lifetime: Lifetime) => Promise<void>): Promise<void> {
  const lifetime = createLifetime(wire.transport);
  let late = false;
  const timer = wire.options.clock.schedule(() => {
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
