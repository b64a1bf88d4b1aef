import { type JSONRPCObject, TransportError } from '@mcp-fittings/client-core';
import { createLifetime, type Lifetime } from '@mcp-fittings/toolbox/timing';
import type { BodySink, ResponseHead } from '@mcp-fittings/http-client';
import type { HttpCall, HttpConnection } from '../http-connection.js';
import { JsonSink, OwnAnswer, unusableSink } from '../reply.js';
import { createCursor, EventSink } from '../stream/event-sink.js';

/** Limit in milliseconds for a server that never answers, because messages of the host wait meanwhile. */
const PATIENCE_MS = 30_000;

/** A request of the transport itself, which no protocol engine waits for. */
export interface OwnRequest extends Pick<HttpCall, 'fields' | 'handshake' | 'session' | 'settle'> {
  readonly method: string;
  readonly params?: JSONRPCObject | undefined;
  /** Called with the head of a 2xx reply. */
  readonly onHead?: (head: ResponseHead) => void;
}

/** Sends the request and resolves with its response, which may be any JSON object; `undefined` if the reply contains none. */
export async function sendOwnRequest(
  { method, params, onHead, ...call }: OwnRequest,
  connection: HttpConnection,
): Promise<unknown> {
  const id = `mcp-fittings-${method}-${++connection.ownRequests}`;
  let answer: unknown;
  await bounded(connection, async (lifetime) => {
    const onAnswer = (value: unknown): void => {
      answer ??= value;
      // The rest of an event stream is not needed.
      queueMicrotask(() => lifetime.end());
    };
    const own = new OwnAnswer({ id, batches: false, resumed: false, onAnswer }, connection);
    const reply = await connection.send({
      ...call,
      method: 'POST',
      body: connection.transport.encode({
        jsonrpc: '2.0',
        id,
        method,
        ...(params !== undefined && { params }),
      }),
      safe: true,
      eventStream: true,
      lifetime,
      accept(head) {
        onHead?.(head);
        return sinkFor(head, own, connection);
      },
    });
    if (answer === undefined && reply?.broken !== undefined) throw reply.broken;
  });
  return answer;
}

function sinkFor(head: ResponseHead, own: OwnAnswer, connection: HttpConnection): BodySink {
  const { redact } = connection;
  if (head.contentType === 'application/json') return new JsonSink(own, connection);
  if (head.contentType !== 'text/event-stream') return unusableSink(head, redact);
  return new EventSink(connection, { cursor: createCursor(), onValue: (value) => own.take(value) });
}

/** Runs `work` with a lifetime of its own; rejects with `TIMEOUT` if it is not done in time. */
export async function bounded(
  connection: HttpConnection,
  work: (lifetime: Lifetime) => Promise<void>,
): Promise<void> {
  const lifetime = createLifetime(connection.transport);
  let late = false;
  const timer = connection.options.clock.schedule(() => {
    late = true;
    lifetime.end();
  }, PATIENCE_MS);
  try {
    await work(lifetime);
  } finally {
    timer[Symbol.dispose]();
    lifetime.end();
  }
  if (late) throw new TransportError('TIMEOUT', 'The server did not open a new session in time.');
}
