import {
  FittingsError,
  type JSONRPCRequest,
  TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { findInBandError, isSafeToRepeat, type Refusal } from '@mcp-fittings/toolbox/refusal';
import { createLifetime, type Lifetime, sleepWithin } from '@mcp-fittings/toolbox/timing';
import type { AcceptedReply, BodySink, ResponseHead } from '@mcp-fittings/http-client';
import { SilenceWatch } from '@mcp-fittings/http-client/events';
import { allowsBatches, streamHeaders, type MessageHeaders } from './headers.js';
import type { HttpCall, HttpConnection } from './http-connection.js';
import { EventSink, type StreamCursor } from './stream/event-sink.js';
import { isForgotten, speaksOfSession } from './session/forgotten.js';
import { Reconnects } from './stream/reconnects.js';
import { JsonSink, OwnAnswer, unanswered, unusableSink } from './reply.js';

/** Time that a server has to end the stream after the answer, in milliseconds; then the socket is closed. */
const LINGER_MS = 1000;

/** Its stream stays open (2026-07-28). If it is half-open, no deadline of a caller detects it. */
const LISTEN = 'subscriptions/listen';

/**
 * A request and its answer, over as many connections as it takes: if the stream ends early and the server sent event ids, a GET
 * resumes it.
 */
export class OutgoingRequest {
  readonly #request: JSONRPCRequest;
  readonly #options: TransportSendOptions;
  readonly #connection: HttpConnection;
  /** The request is abandoned when this ends. */
  readonly #lifetime: Lifetime;
  readonly #headers: MessageHeaders;
  /** True if it opens a session. */
  readonly #handshake: boolean;
  readonly #cursor: StreamCursor;
  readonly #answer: OwnAnswer;
  #reconnects: Reconnects | undefined;
  /** The current connection, if that is an event stream. */
  #stream: EventSink | undefined;
  #hasStreamed = false;
  #linger: Disposable | undefined;
  #silence: SilenceWatch | undefined;
  /** True if the stream has been silent for too long. */
  #isSilent = false;
  /** Session id of the POST. */
  #sessionId: string | undefined;
  /** True if an error cannot be about the session any more, because the request is in another one, or the server was asked. */
  #isCertain: boolean;
  /** Asks whether the session is forgotten. */
  #doubt: Promise<void> | undefined;
  #isRefusedBySession = false;

  /** @param isCertain Whether the request is sent a second time, in a new session. */
  constructor(
    request: JSONRPCRequest,
    options: TransportSendOptions,
    connection: HttpConnection,
    isCertain = false,
  ) {
    const { transport } = connection;
    const revision = transport.protocolVersion;
    this.#request = request;
    this.#options = options;
    this.#connection = connection;
    this.#isCertain = isCertain;
    this.#headers = connection.headersOf(request, options);
    const { stateless } = this.#headers;
    this.#handshake = request.method === 'initialize' && !stateless;
    const lastEventId = stateless ? undefined : options.resumptionToken;
    this.#cursor = { lastEventId, retryMs: undefined, progressed: false };
    this.#answer = new OwnAnswer(
      {
        id: request.id,
        batches: allowsBatches(revision),
        resumed: this.#cursor.lastEventId !== undefined,
        onAnswer: this.#take,
      },
      connection,
    );
    this.#lifetime = createLifetime(transport);
  }

  /** Sends the request. Resolves when there is nothing more to read; rejects as soon as no answer can arrive. */
  async run(): Promise<void> {
    const { id } = this.#request;
    const { requestSignal, onRequestStreamEnd } = this.#options;
    const { transport, requests, session, options } = this.#connection;
    requests.set(id, this.#lifetime);
    transport.markUnsent(id);
    const release = requestSignal && transport.onAbort(requestSignal, () => this.#lifetime.end());
    if (this.#handshake) session.forget();
    try {
      let openedAt = options.clock.now();
      let failure =
        this.#cursor.lastEventId === undefined
          ? this.#failureOfPost(await this.#connection.send(this.#post()))
          : await this.#resume();
      while (!this.#isSettled) {
        const ms = this.#nextAttempt(failure, options.clock.now() - openedAt);
        await sleepWithin(this.#lifetime, ms, options.clock);
        if (this.#isSettled) return;
        openedAt = options.clock.now();
        failure = await this.#resume();
      }
      if (this.#doubt !== undefined) await this.#doubt;
    } finally {
      this.#linger?.[Symbol.dispose]();
      this.#silence?.[Symbol.dispose]();
      if (this.#handshake && !this.#answer.received) session.forget();
      const isCancelled = this.#lifetime.ended && !this.#isSilent;
      if (this.#hasStreamed && !isCancelled && onRequestStreamEnd !== undefined)
        transport.guard(onRequestStreamEnd);
      release?.();
      this.#lifetime.end();
      // A caller that cancelled the request may have reused its id.
      if (requests.get(id) === this.#lifetime) requests.delete(id);
    }
    if (this.#isRefusedBySession && transport.isPending(id))
      await new OutgoingRequest(this.#request, this.#options, this.#connection, true).run();
  }

  get #isSettled(): boolean {
    return (
      this.#lifetime.ended || this.#answer.received || !this.#connection.transport.isPending(this.#request.id)
    );
  }

  #post(): HttpCall {
    const { transport } = this.#connection;
    const { fields, stateless } = this.#headers;
    return {
      method: 'POST',
      body: transport.encode(this.#request),
      fields,
      session: this.#handshake || stateless ? 'none' : 'current',
      handshake: this.#handshake,
      eventStream: true,
      safe: isSafeToRepeat(this.#request),
      survivesSession: true,
      lifetime: this.#lifetime,
      onSend: () => {
        this.#sessionId = stateless ? undefined : this.#connection.session.id;
        transport.markSent(this.#request.id);
      },
      accept: (head) => this.#accept(head),
      settle: (refusal) => this.#settle(refusal),
    };
  }

  /** Returns why the stream of the reply ended early; throws if the reply was not a stream. */
  #failureOfPost(reply: AcceptedReply | undefined): unknown {
    if (this.#isSilent && !this.#answer.received) throw this.#streamLost(this.#silentFailure());
    if (this.#isSettled || this.#stream !== undefined) return this.#stream?.reported ?? reply?.broken;
    throw reply?.broken ?? unanswered();
  }

  /** Resumes the stream. Resolves with the reason why it ended, because a failure does not mean that the request was refused. */
  async #resume(): Promise<unknown> {
    this.#stream = undefined;
    this.#cursor.progressed = false;
    let reply: AcceptedReply | undefined;
    try {
      reply = await this.#connection.send({
        method: 'GET',
        fields: streamHeaders(this.#connection.transport.protocolVersion, this.#cursor.lastEventId),
        session: 'current',
        safe: true,
        eventStream: true,
        lifetime: this.#lifetime,
        accept: (head) => this.#accept(head),
      });
    } catch (error) {
      return error;
    }
    return this.#endOf(reply);
  }

  #endOf(reply: AcceptedReply | undefined): unknown {
    const stream = this.#stream;
    return stream?.reported ?? reply?.broken ?? (stream === undefined ? unanswered() : undefined);
  }

  /** Chooses the sink for the body: the two kinds of reply in the specification, or a failure. */
  #accept(head: ResponseHead): BodySink {
    const { session, redact } = this.#connection;
    if (this.#handshake) session.offer(head.header('mcp-session-id'));
    switch (head.contentType) {
      case 'application/json':
        return new JsonSink(this.#answer, this.#connection);
      case 'text/event-stream':
        return this.#openStream();
      default:
        return unusableSink(head, redact);
    }
  }

  #openStream(): BodySink {
    const { transport, options } = this.#connection;
    const { onresumptiontoken } = this.#options;
    this.#hasStreamed = true;
    if (this.#request.method === LISTEN) {
      this.#silence = new SilenceWatch(options.clock, options.silenceMs, () => {
        this.#isSilent = true;
        this.#lifetime.end();
      });
    }
    this.#stream = new EventSink(this.#connection, {
      cursor: this.#cursor,
      onValue: (value) => this.#answer.take(value),
      onId:
        onresumptiontoken && !this.#headers.stateless
          ? (id) => transport.guard(() => onresumptiontoken(id))
          : undefined,
      silence: this.#silence,
    });
    return this.#stream;
  }

  #settle(refusal: Refusal): boolean {
    const answer = findInBandError(this.#request, refusal, this.#headers.stateless);
    this.#isCertain = true;
    if (answer !== undefined) this.#answer.take(answer);
    return answer !== undefined;
  }

  /** Delivers the answer, unless it is an error that speaks of a session, which the server may have forgotten. */
  readonly #take = (answer: Readonly<Record<string, unknown>>): void => {
    const { session, transport } = this.#connection;
    const { error } = answer;
    const sessionId = this.#isCertain ? undefined : this.#sessionId;
    if (sessionId !== undefined && speaksOfSession(isRecord(error) ? error['message'] : error)) {
      this.#doubt = this.#resolveDoubt(sessionId, answer, isRecord(error) ? error['code'] : undefined);
      // It is awaited when the reply has been read, which may take longer.
      this.#doubt.catch(() => this.#lifetime.end());
      return;
    }
    // Most streams end together with the answer, and need no timer.
    if (this.#stream !== undefined) queueMicrotask(() => this.#limitRest());
    if (this.#handshake) {
      const { result } = answer;
      if (isRecord(result)) {
        session.establish({ params: this.#request.params, result });
        if (typeof result['protocolVersion'] === 'string')
          transport.setProtocolVersion(result['protocolVersion']);
      } else session.forget();
    }
    transport.receive(answer);
  };

  /** Delivers an error that speaks of a session, or opens a new session if this is the one that the server has forgotten. */
  async #resolveDoubt(
    sessionId: string,
    answer: Readonly<Record<string, unknown>>,
    code: unknown,
  ): Promise<void> {
    const { session } = this.#connection;
    const isGone = await isForgotten(sessionId, { status: 200, code }, this.#connection);
    if (this.#lifetime.ended) return;
    if (!isGone) {
      this.#isCertain = true;
      return this.#take(answer);
    }
    await session.restore(sessionId);
    this.#isRefusedBySession = true;
    this.#lifetime.end();
  }

  #limitRest(): void {
    if (this.#lifetime.ended || this.#stream?.ended === true) return;
    this.#linger ??= this.#connection.options.clock.schedule(() => this.#lifetime.end(), LINGER_MS, {
      unref: true,
    });
  }

  /** Returns the milliseconds to wait before the stream is resumed; throws if it is not worth resuming. */
  #nextAttempt(failure: unknown, openMs: number): number {
    if (failure instanceof FittingsError && failure.kind === 'protocol') throw failure;
    const { reconnect, random } = this.#connection.options;
    const { lastEventId, progressed, retryMs } = this.#cursor;
    const passing =
      failure === undefined ||
      (failure instanceof FittingsError &&
        (failure.retryable || isGateway(failure)) &&
        failure.code !== 'SESSION_LOST');
    let ms: number | undefined;
    if (passing && !this.#headers.stateless && lastEventId !== undefined) {
      this.#reconnects ??= new Reconnects(reconnect, random);
      ms = this.#reconnects.next({
        progressed,
        openMs: this.#stream === undefined ? 0 : openMs,
        retryMs,
        failure,
      });
    }
    if (ms === undefined) throw this.#streamLost(failure);
    return ms;
  }

  #silentFailure(): TransportError {
    const ms = this.#connection.options.silenceMs;
    return new TransportError('TIMEOUT', `The event stream received nothing for ${ms} ms.`, {
      hint: 'The connection may be half-open. A server keeps a stream alive by sending comments.',
    });
  }

  #streamLost(cause: unknown): TransportError {
    const why = cause instanceof FittingsError ? ` ${cause.message}` : '';
    return new TransportError('STREAM_LOST', `The event stream ended before the answer arrived.${why}`, {
      cause,
      delivery: 'unknown',
      hint: 'The server may have carried out the request. Send it again only if running it twice is harmless.',
    });
  }
}

/** Statuses with which a server says that it does not resume streams. */
const NO_RESUMPTION: ReadonlySet<unknown> = new Set([405, 501]);

/** Returns whether the failure comes from a gateway or resolver, not from the server, which has accepted the request: it may be temporary. */
function isGateway({ kind, details }: FittingsError): boolean {
  return (
    kind === 'network-permanent' && !NO_RESUMPTION.has(details['status']) && details['rpcCode'] === undefined
  );
}
