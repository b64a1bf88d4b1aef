import type { Clock } from '@mcp-fittings/client-core';
import { isErrorResponse, isMessage, type JSONRPCObject } from '@mcp-fittings/client-core/transport';
import { excerpt, type Redact } from '../errors/excerpt.js';
import { messageHeaders } from '../headers/message-headers.js';
import { createLifetime, type Lifetime } from '../lifetime.js';
import { postUnanswered, type UnansweredFacts } from '../messages/post-unanswered.js';
import { acceptReply, type ReadingFacts } from '../reply/accept-reply.js';
import { createOwnAnswer } from '../reply/own-answer.js';
import { createCursor } from '../stream/cursor.js';
import type { Handshake, Session } from './session.js';

export interface ReplayFacts extends ReadingFacts, UnansweredFacts {
  readonly redact: Redact;
  readonly session: Session;
  readonly clock: Clock;
  readonly lifetime: Lifetime;
}

/** A server that accepts the question and never answers holds up all that wait for the session. */
const REPLAY_MS = 30_000;

/** Opens a new session in the way in which the lost one was opened. */
export async function replayHandshake(lost: Handshake, facts: ReplayFacts): Promise<JSONRPCObject> {
  const result = await initialize(lost, facts);
  const { session, makeError } = facts;
  const revision = lost.result['protocolVersion'];
  if (result['protocolVersion'] !== revision) {
    throw makeError(
      'VERSION_UNSUPPORTED',
      'The new session has another protocol revision than the lost one.',
    );
  }
  session.establish({ params: lost.params, result });
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
  await bounded(facts, (lifetime) =>
    postUnanswered({ message: initialized, options: {}, lifetime, session: 'new' }, facts),
  );
  return result;
}

async function initialize(lost: Handshake, facts: ReplayFacts): Promise<JSONRPCObject> {
  const { exchange, session, inbox, makeError, encode } = facts;
  const request = {
    jsonrpc: '2.0' as const,
    id: 'mcp-fittings-new-session',
    method: 'initialize',
    params: lost.params,
  };
  let answer: unknown;
  await bounded(facts, async (lifetime) => {
    const own = createOwnAnswer({
      id: request.id,
      inbox: { ...inbox, isPending: () => true, receive: (value) => keep(value, lifetime) },
      batches: false,
      resumed: false,
    });
    const reply = await exchange({
      verb: 'POST',
      body: encode(request),
      fields: messageHeaders(request, undefined, {}, makeError).fields,
      session: 'none',
      handshake: true,
      eventStream: true,
      lifetime,
      accept(head, redact) {
        session.offer(head.header('mcp-session-id'));
        return acceptReply(
          head,
          redact,
          { answer: own, cursor: createCursor(), onStream: () => undefined },
          facts,
        );
      },
    });
    if (answer === undefined && reply?.broken !== undefined) throw reply.broken;
  });

  function keep(value: unknown, lifetime: Lifetime): void {
    if (isMessage(value) && 'method' in value) return inbox.receive(value);
    answer ??= value;
    // The rest of an event stream, if there is one, is of no interest.
    queueMicrotask(() => lifetime.end());
  }

  if (!isMessage(answer) || 'method' in answer) {
    throw makeError('PROTOCOL_VIOLATION', 'The server did not answer `initialize`.');
  }
  if (isErrorResponse(answer)) {
    throw makeError(
      'RPC_ERROR',
      `The server refused a new session: ${excerpt(answer.error.message, facts.redact, 200)}`,
    );
  }
  return answer.result;
}

/** Gives `work` a lifetime of its own; rejects with `TIMEOUT` when it is not done in time. */
async function bounded(facts: ReplayFacts, work: (lifetime: Lifetime) => Promise<void>): Promise<void> {
  const { clock, makeError } = facts;
  const lifetime = createLifetime(facts.lifetime);
  let late = false;
  const timer = clock.schedule(() => {
    late = true;
    lifetime.end();
  }, REPLAY_MS);
  try {
    await work(lifetime);
  } finally {
    timer[Symbol.dispose]();
    lifetime.end();
  }
  if (late) throw makeError('TIMEOUT', 'The server did not open a new session in time.');
}
