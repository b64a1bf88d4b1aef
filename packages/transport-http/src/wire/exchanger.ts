import type { Clock, TransportError } from '@mcp-fittings/client-core';
import type { RequestRedactor } from '@mcp-fittings/net-policy';
import type { ChallengeCount, Credentials, Network, ResponseHead } from '@mcp-fittings/network';
import type { Redact } from '../errors/excerpt.js';
import type { MakeError } from '../errors/make-error.js';
import { refusalError } from '../errors/refusal-error.js';
import { readRefusal, type Refusal } from '../errors/refusal.js';
import { during, type Lifetime } from '../lifetime.js';
import type { Session } from '../session/session.js';
import { wait } from '../wait.js';
import { createPatience, type RetryLaterOptions } from './retry-later.js';
import { send, type AcceptedReply, type BodySink } from './send.js';

/** One message, stream or farewell on its way to the server. */
export interface Call {
  readonly verb: 'POST' | 'GET' | 'DELETE';
  readonly body?: string | undefined;
  /** Without credentials and session. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * `current`: it belongs to the session, and waits while that is restored. `new`: it is part of the restoration.
   * `none`: it opens a session, or knows none.
   */
  readonly session: 'current' | 'new' | 'none';
  /** It is `initialize`. */
  readonly handshake?: boolean | undefined;
  /** It means the same in a new session, and may be sent again there. */
  readonly survivesSession?: boolean | undefined;
  readonly lifetime: Lifetime;
  /** True: the refusal is an answer, and was dealt with. */
  readonly settle?: ((refusal: Refusal) => boolean) | undefined;
  /** Called just before it goes on the wire, each time. */
  readonly onSend?: (() => void) | undefined;
  /** Called with the head of a reply 2xx; `redact` is for what an error shows of its body. */
  readonly accept: (head: ResponseHead, redact: Redact) => BodySink;
  /** The reply may be an event stream, which is read event by event. */
  readonly eventStream?: boolean | undefined;
  /** It is sent again when the server says that it is busy: to carry it out twice does no harm. Default false. */
  readonly safe?: boolean | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly overflow?: 'truncate' | undefined;
}

export interface ExchangerOptions {
  readonly url: URL;
  readonly network: Pick<Network, 'exchange'>;
  readonly credentials: Credentials;
  /** There is a provider of credentials. */
  readonly signs: boolean;
  readonly session: Session;
  readonly retryLater: RetryLaterOptions;
  readonly clock: Clock;
  readonly random: () => number;
  /** Told what is sent, so that no error shows it. */
  readonly redactor: RequestRedactor;
  readonly makeError: MakeError;
  /** Told each success of a message. */
  readonly onAccepted: (call: Call) => void;
}

/**
 * Sends a call and, where the refusal can be cured, sends it again: credentials, a forgotten session, a server that is
 * busy. Settles when the reply has been read; with nothing when the call ended before or its refusal was an answer.
 * Rejects with the error that the last refusal means, or with that of the cure.
 */
export type Exchanger = (call: Call) => Promise<AcceptedReply | undefined>;

export function createExchanger(options: ExchangerOptions): Exchanger {
  const { url, network, credentials, session, clock, makeError, redactor } = options;
  const { redact } = redactor;

  return async (call) => {
    const { verb, lifetime } = call;
    const challenges: ChallengeCount = { credentials: 0, scope: 0, nonce: 0 };
    const patience = createPatience(options.retryLater, options.random);
    let restored = false;

    for (;;) {
      if (call.session === 'current' && session.restoring !== undefined) await session.restoring;
      const signed = options.signs ? await during(lifetime, credentials.headers(verb)) : UNSIGNED;
      if (signed === undefined || lifetime.ended) return undefined;
      const sessionId = call.session === 'none' ? undefined : session.id;
      const headers: Record<string, string> = { ...call.fields, ...signed };
      if (sessionId !== undefined) headers['mcp-session-id'] = sessionId;
      if (signed !== UNSIGNED) redactor.learn(signed);
      if (sessionId !== undefined) redactor.learn({ 'mcp-session-id': sessionId });
      call.onSend?.();

      const reply = await send(
        network,
        {
          url,
          method: verb,
          headers,
          body: call.body,
          eventStream: call.eventStream,
          maxBodyBytes: call.maxBodyBytes,
          overflow: call.overflow,
          redirect: 'same-method',
        },
        lifetime,
        (head) => {
          credentials.observe(head);
          if (head.status < 200 || head.status > 299) return undefined;
          if (call.session !== 'none') session.worked(sessionId, verb);
          options.onAccepted(call);
          return call.accept(head, redact);
        },
      );
      if (reply === undefined) return undefined;
      if (reply.accepted) return reply;
      // A farewell is not worth a second attempt.
      if (verb === 'DELETE') return undefined;

      const refusal = readRefusal(
        reply,
        {
          verb,
          handshake: call.handshake ?? false,
          firstStream: !session.hasStreamed,
          sessionId,
          proven: session.isProven,
          safe: call.safe ?? false,
        },
        clock,
      );
      const fail = (): TransportError => refusalError(refusal, makeError, redact);

      switch (refusal.row.meaning) {
        case 'auth':
        case 'scope': {
          const kind = refusal.row.meaning === 'scope' ? 'scope' : 'credentials';
          const authorization = signed['authorization'];
          const challenged = { kind, head: reply.head, method: verb, authorization, refusal: fail } as const;
          await during(lifetime, credentials.recover(challenged, challenges));
          break;
        }
        case 'gone':
          if (call.session !== 'current' || verb !== 'POST' || restored) throw fail();
          restored = true;
          await session.restore(sessionId);
          if (call.survivesSession !== true) throw fail();
          break;
        case 'retry-later': {
          const ms = patience.next(refusal.retryAfterMs);
          if (ms === undefined) throw fail();
          await wait(clock, ms, lifetime);
          break;
        }
        default:
          if (call.settle?.(refusal) === true) return undefined;
          throw fail();
      }
      if (lifetime.ended) return undefined;
    }
  };
}

const UNSIGNED: Readonly<Record<string, string>> = {};
