import { FittingsError, isRecord, type Clock, type TransportError } from '@mcp-fittings/client-core';
import type {
  JSONRPCObject,
  JSONRPCRequest,
  TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import { isSafeToRepeat } from '@mcp-fittings/net-policy';
import type { ResponseHead } from '@mcp-fittings/network';
import type { Redact } from '../errors/excerpt.js';
import type { Refusal } from '../errors/refusal.js';
import { messageHeaders, type MessageHeaders } from '../headers/message-headers.js';
import { allowsBatches } from '../headers/revision.js';
import { createLifetime, type Lifetime } from '../lifetime.js';
import { acceptReply, type ReadingFacts } from '../reply/accept-reply.js';
import { inBandAnswer } from '../reply/in-band.js';
import { createOwnAnswer, type OwnAnswer } from '../reply/own-answer.js';
import type { Session } from '../session/session.js';
import { createCursor, type StreamCursor } from '../stream/cursor.js';
import { createReconnects, type ReconnectOptions, type Reconnects } from '../stream/reconnects.js';
import { heedingSink, SILENCE_MS, watchSilence, type SilenceWatch } from '../stream/silence-watch.js';
import { streamHeaders } from '../stream/stream-headers.js';
import { wait } from '../wait.js';
import type { Exchanger } from '../wire/exchanger.js';
import type { AcceptedReply, BodySink } from '../wire/send.js';
import type { Encode } from './encode.js';

/** What all requests of a connection share. */
export interface RequestFacts extends ReadingFacts {
  readonly exchange: Exchanger;
  readonly encode: Encode;
  readonly session: Session;
  readonly reconnect: ReconnectOptions;
  readonly clock: Clock;
  readonly random: () => number;
  /** The negotiated revision, once it is known. */
  readonly revision: () => string | undefined;
  /** The server has answered `initialize`. */
  readonly onInitialized: (result: JSONRPCObject) => void;
  /** Calls a function of the host's, whose failure is the host's. */
  readonly guard: (callback: () => unknown) => void;
}

/** One request, and what its caller wants to hear of it. */
export interface OutgoingRequest {
  readonly request: JSONRPCRequest;
  readonly options: TransportSendOptions;
  /** Ending it gives the request up. */
  readonly lifetime: Lifetime;
  /** Called just before it goes on the wire, each time. */
  readonly onSend: () => void;
}

/** A server that goes on streaming after the answer is given so long to end it; then the socket is closed. */
const LINGER_MS = 1000;

/** Its stream is the server's own (2026-07-28): it may be half-open, and no deadline of a caller notices. */
const LISTEN = 'subscriptions/listen';

/**
 * Sends a request and sees to its answer, over as many connections as that takes: where the stream ends early and its
 * server gave event ids, a GET takes it up again. Settles when nothing more is to be read; rejects as soon as no
 * answer can come.
 */
export async function postRequest(outgoing: OutgoingRequest, facts: RequestFacts): Promise<void> {
  await new RequestOnItsWay(outgoing, facts).run();
}

class RequestOnItsWay {
  readonly #outgoing: OutgoingRequest;
  readonly #facts: RequestFacts;
  readonly #headers: MessageHeaders;
  /** It opens a session. */
  readonly #handshake: boolean;
  readonly #cursor: StreamCursor;
  readonly #reconnects: Reconnects;
  readonly #answer: OwnAnswer;
  /** The present connection is an event stream. */
  #streams = false;
  #hasStreamed = false;
  #linger: Disposable | undefined;
  #silence: SilenceWatch | undefined;

  constructor(outgoing: OutgoingRequest, facts: RequestFacts) {
    const { request, options } = outgoing;
    const revision = facts.revision();
    this.#outgoing = outgoing;
    this.#facts = facts;
    this.#headers = messageHeaders(request, revision, options, facts.makeError);
    const { stateless } = this.#headers;
    this.#handshake = request.method === 'initialize' && !stateless;
    this.#cursor = createCursor(stateless ? undefined : options.resumptionToken);
    this.#reconnects = createReconnects(facts.reconnect, facts.random);
    this.#answer = createOwnAnswer({
      id: request.id,
      inbox: facts.inbox,
      batches: allowsBatches(revision),
      resumed: this.#cursor.lastEventId !== undefined,
      onAnswer: (answer) => this.#answered(answer),
    });
  }

  async run(): Promise<void> {
    const { lifetime, options } = this.#outgoing;
    const { clock, session, guard } = this.#facts;
    if (this.#handshake) session.forget();
    try {
      let first = this.#cursor.lastEventId === undefined;
      for (;;) {
        const openedAt = clock.now();
        const failure = first ? await this.#post() : await this.#resume();
        if (this.#isSettled) return;
        first = false;
        await wait(clock, this.#nextAttempt(failure, clock.now() - openedAt), lifetime);
        if (this.#isSettled) return;
      }
    } finally {
      this.#linger?.[Symbol.dispose]();
      this.#silence?.[Symbol.dispose]();
      if (this.#handshake && !this.#answer.received) session.forget();
      const { onRequestStreamEnd } = options;
      if (this.#hasStreamed && !lifetime.ended && onRequestStreamEnd !== undefined) guard(onRequestStreamEnd);
    }
  }

  get #isSettled(): boolean {
    const { lifetime, request } = this.#outgoing;
    return lifetime.ended || this.#answer.received || !this.#facts.inbox.isPending(request.id);
  }

  /** Settles with the reason why the stream of the reply ended too early. */
  async #post(): Promise<unknown> {
    const { request, lifetime, onSend } = this.#outgoing;
    const { encode, exchange } = this.#facts;
    const { fields, stateless } = this.#headers;
    const attempt = createLifetime(lifetime);
    const reply = await exchange({
      verb: 'POST',
      body: encode(request),
      fields,
      session: this.#handshake || stateless ? 'none' : 'current',
      handshake: this.#handshake,
      eventStream: true,
      safe: isSafeToRepeat(request),
      survivesSession: true,
      lifetime: attempt,
      onSend,
      accept: (head, redact) => this.#heed(this.#accept(head, redact), attempt),
      settle: (refusal) => this.#takeRefusal(refusal),
    });
    const silent = attempt.ended && !lifetime.ended;
    attempt.end();
    if (silent) return this.#silentFailure();
    if (this.#isSettled || this.#streams) return reply?.broken;
    throw reply?.broken ?? this.#unanswered();
  }

  /** The same for a GET that takes the stream up again; its failures do not mean that the request was refused. */
  async #resume(): Promise<unknown> {
    this.#streams = false;
    this.#cursor.progressed = false;
    let reply: AcceptedReply | undefined;
    try {
      reply = await this.#facts.exchange({
        verb: 'GET',
        fields: streamHeaders(this.#facts.revision(), this.#cursor),
        session: 'current',
        eventStream: true,
        lifetime: this.#outgoing.lifetime,
        accept: (head, redact) => this.#accept(head, redact),
      });
    } catch (error) {
      return error;
    }
    return reply?.broken ?? (this.#streams ? undefined : this.#unanswered());
  }

  /** The stream of `subscriptions/listen` ends when nothing came for too long, as that of a GET. */
  #heed(sink: BodySink, attempt: Lifetime): BodySink {
    const { clock, reconnect } = this.#facts;
    if (!this.#streams || this.#outgoing.request.method !== LISTEN) return sink;
    const watch = watchSilence(clock, reconnect.silenceMs ?? SILENCE_MS, () => attempt.end());
    this.#silence = watch;
    return heedingSink(sink, watch.heard);
  }

  #silentFailure(): TransportError {
    const { makeError, reconnect } = this.#facts;
    const ms = reconnect.silenceMs ?? SILENCE_MS;
    return makeError('TIMEOUT', `The server sent nothing for ${ms} ms.`, {
      hint: 'The connection may be half-open. A server keeps a stream alive with comments.',
    });
  }

  #accept(head: ResponseHead, redact: Redact): BodySink {
    if (this.#handshake) this.#facts.session.offer(head.header('mcp-session-id'));
    const { onresumptiontoken } = this.#outgoing.options;
    return acceptReply(
      head,
      redact,
      {
        answer: this.#answer,
        cursor: this.#cursor,
        onId: (id) => {
          if (!this.#headers.stateless) this.#facts.guard(() => onresumptiontoken?.(id));
        },
        onStream: () => {
          this.#streams = true;
          this.#hasStreamed = true;
        },
      },
      this.#facts,
    );
  }

  #takeRefusal(refusal: Refusal): boolean {
    const answer = inBandAnswer(this.#outgoing.request, refusal, this.#headers.stateless);
    if (answer !== undefined) this.#answer.take(answer);
    return answer !== undefined;
  }

  #answered({ result }: Readonly<Record<string, unknown>>): void {
    const { clock, session, onInitialized } = this.#facts;
    const { lifetime, request } = this.#outgoing;
    if (this.#streams) this.#linger ??= clock.schedule(() => lifetime.end(), LINGER_MS, { unref: true });
    if (!this.#handshake) return;
    if (!isRecord(result)) return session.forget();
    session.establish({ params: request.params, result });
    onInitialized(result);
  }

  /** Milliseconds until it is worth to take the stream up again; throws when it is not. */
  #nextAttempt(failure: unknown, openMs: number): number {
    if (failure instanceof FittingsError && failure.kind === 'protocol') throw failure;
    const { stateless } = this.#headers;
    const { lastEventId, progressed, retryMs } = this.#cursor;
    const passing =
      failure === undefined ||
      (failure instanceof FittingsError &&
        (failure.retryable || isGateway(failure)) &&
        failure.code !== 'SESSION_LOST');
    const ms =
      passing && !stateless && lastEventId !== undefined
        ? this.#reconnects.next({ progressed, openMs: this.#streams ? openMs : 0, retryMs, failure })
        : undefined;
    if (ms === undefined) throw this.#streamLost(failure);
    return ms;
  }

  #unanswered(): TransportError {
    return this.#facts.makeError('PROTOCOL_VIOLATION', 'The reply to a request does not hold its answer.', {
      delivery: 'unknown',
      hint: 'The server answered under another id, or sent something else.',
    });
  }

  #streamLost(cause: unknown): TransportError {
    const why = cause instanceof FittingsError ? `: ${cause.message}` : '.';
    return this.#facts.makeError('STREAM_LOST', `The stream of a request ended without its answer${why}`, {
      cause,
      delivery: 'unknown',
      hint: 'Send it again only if doing it twice does no harm.',
    });
  }
}

/** The server itself says that it does not resume streams. */
const NO_RESUMPTION: ReadonlySet<unknown> = new Set([405, 501]);

/** The request was accepted: what a gateway or a resolver, and not the server, says meanwhile may pass. */
function isGateway({ kind, details }: FittingsError): boolean {
  return (
    kind === 'network-permanent' && !NO_RESUMPTION.has(details['status']) && details['rpcCode'] === undefined
  );
}
