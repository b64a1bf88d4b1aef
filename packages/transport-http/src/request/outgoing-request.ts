import {
  FittingsError,
  isRecord,
  TransportError,
  type JSONRPCRequest,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import {
  createLifetime,
  inBandAnswer,
  isSafeToRepeat,
  sleepDuring,
  type Lifetime,
  type Refusal,
} from '@mcp-fittings/remote-policy';
import {
  watchSilence,
  type AcceptedReply,
  type BodySink,
  type ResponseHead,
  type SilenceWatch,
} from '@mcp-fittings/http-client';
import { allowsBatches, messageHeaders, streamHeaders, type MessageHeaders } from '../headers.js';
import type { HttpCall, HttpWire } from '../http-wire.js';
import { EventSink, type StreamCursor } from '../stream/event-sink.js';
import { createReconnects, type Reconnects } from '../stream/reconnects.js';
import { JsonSink, OwnAnswer, unusableSink } from './reply.js';

/** A server that goes on streaming after the answer is given so long to end it; then the socket is closed. */
const LINGER_MS = 1000;

/** Its stream is the server's own (2026-07-28): it may be half-open, and no deadline of a caller notices. */
const LISTEN = 'subscriptions/listen';

/**
 * A request and its answer, over as many connections as that takes: where the stream ends early and its server gave event
 * ids, a GET takes it up again.
 */
export class OutgoingRequest {
  readonly #request: JSONRPCRequest;
  readonly #options: TransportSendOptions;
  readonly #wire: HttpWire;
  /** Ending it gives the request up. */
  readonly #lifetime: Lifetime;
  readonly #headers: MessageHeaders;
  /** It opens a session. */
  readonly #handshake: boolean;
  readonly #cursor: StreamCursor;
  readonly #answer: OwnAnswer;
  #reconnects: Reconnects | undefined;
  /** The present connection is an event stream. */
  #streams = false;
  #hasStreamed = false;
  #linger: Disposable | undefined;
  #silence: SilenceWatch | undefined;
  /** Nothing was heard on the stream for too long. */
  #isSilent = false;

  constructor(request: JSONRPCRequest, options: TransportSendOptions, wire: HttpWire) {
    const { transport } = wire;
    const revision = transport.protocolVersion;
    this.#request = request;
    this.#options = options;
    this.#wire = wire;
    this.#headers = messageHeaders(request, revision, options);
    const { stateless } = this.#headers;
    this.#handshake = request.method === 'initialize' && !stateless;
    const lastEventId = stateless ? undefined : options.resumptionToken;
    this.#cursor = { lastEventId, retryMs: undefined, progressed: false };
    this.#answer = new OwnAnswer(
      {
        id: request.id,
        batches: allowsBatches(revision),
        resumed: this.#cursor.lastEventId !== undefined,
        onAnswer: (answer) => this.#take(answer),
      },
      wire,
    );
    this.#lifetime = createLifetime(transport);
  }

  /** Sends it. Settles when nothing more is to be read; rejects as soon as no answer can come. */
  async run(): Promise<void> {
    const { id } = this.#request;
    const { requestSignal, onRequestStreamEnd } = this.#options;
    const { transport, requests, session, options } = this.#wire;
    requests.set(id, this.#lifetime);
    transport.markUnsent(id);
    const release = requestSignal && transport.onAbort(requestSignal, () => this.#lifetime.end());
    if (this.#handshake) session.forget();
    try {
      let openedAt = options.clock.now();
      let failure =
        this.#cursor.lastEventId === undefined
          ? this.#failureOfPost(await this.#wire.send(this.#post()))
          : await this.#resume();
      while (!this.#isSettled) {
        const ms = this.#nextAttempt(failure, options.clock.now() - openedAt);
        await sleepDuring(this.#lifetime, ms, options.clock);
        if (this.#isSettled) return;
        openedAt = options.clock.now();
        failure = await this.#resume();
      }
    } finally {
      this.#linger?.[Symbol.dispose]();
      this.#silence?.[Symbol.dispose]();
      if (this.#handshake && !this.#answer.received) session.forget();
      const isCancelled = this.#lifetime.ended && !this.#isSilent;
      if (this.#hasStreamed && !isCancelled && onRequestStreamEnd !== undefined)
        transport.guard(onRequestStreamEnd);
      release?.();
      this.#lifetime.end();
      // A caller that cancelled the request may have used its id again.
      if (requests.get(id) === this.#lifetime) requests.delete(id);
    }
  }

  get #isSettled(): boolean {
    return this.#lifetime.ended || this.#answer.received || !this.#wire.transport.isPending(this.#request.id);
  }

  #post(): HttpCall {
    const { transport } = this.#wire;
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
      onSend: () => transport.markSent(this.#request.id),
      accept: (head) => this.#accept(head),
      settle: (refusal) => this.#settle(refusal),
    };
  }

  /** The reason why the stream of the reply ended too early; throws where no stream was. */
  #failureOfPost(reply: AcceptedReply | undefined): unknown {
    if (this.#isSilent && !this.#answer.received) throw this.#streamLost(this.#silentFailure());
    if (this.#isSettled || this.#streams) return reply?.broken;
    throw reply?.broken ?? unanswered();
  }

  /** Takes the stream up again; settles with the reason why it ended, as a failure does not mean that the request was refused. */
  async #resume(): Promise<unknown> {
    this.#streams = false;
    this.#cursor.progressed = false;
    let reply: AcceptedReply | undefined;
    try {
      reply = await this.#wire.send({
        method: 'GET',
        fields: streamHeaders(this.#wire.transport.protocolVersion, this.#cursor.lastEventId),
        session: 'current',
        safe: true,
        eventStream: true,
        lifetime: this.#lifetime,
        accept: (head) => this.#accept(head),
      });
    } catch (error) {
      return error;
    }
    return reply?.broken ?? (this.#streams ? undefined : unanswered());
  }

  /** Chooses who takes the body: both kinds of reply that the specification knows, and a failure for the rest. */
  #accept(head: ResponseHead): BodySink {
    const { session, redact } = this.#wire;
    if (this.#handshake) session.offer(head.header('mcp-session-id'));
    switch (head.contentType) {
      case 'application/json':
        return new JsonSink(this.#answer, redact);
      case 'text/event-stream':
        return this.#openStream();
      default:
        return unusableSink(head, redact);
    }
  }

  #openStream(): BodySink {
    const { transport, options, redact } = this.#wire;
    const { onresumptiontoken } = this.#options;
    this.#streams = true;
    this.#hasStreamed = true;
    if (this.#request.method === LISTEN) {
      this.#silence = watchSilence(options.clock, options.silenceMs, () => {
        this.#isSilent = true;
        this.#lifetime.end();
      });
    }
    return new EventSink({
      cursor: this.#cursor,
      onValue: (value) => this.#answer.take(value),
      onId:
        onresumptiontoken && !this.#headers.stateless
          ? (id) => transport.guard(() => onresumptiontoken(id))
          : undefined,
      onMalformed: () => this.#wire.reportMalformed(),
      maxEventBytes: options.maxMessageBytes,
      redact,
      silence: this.#silence,
    });
  }

  #settle(refusal: Refusal): boolean {
    const answer = inBandAnswer(this.#request, refusal, this.#headers.stateless);
    if (answer !== undefined) this.#answer.take(answer);
    return answer !== undefined;
  }

  #take(answer: Readonly<Record<string, unknown>>): void {
    const { session, transport, options } = this.#wire;
    if (this.#streams) {
      this.#linger ??= options.clock.schedule(() => this.#lifetime.end(), LINGER_MS, { unref: true });
    }
    if (this.#handshake) {
      const { result } = answer;
      if (isRecord(result)) {
        session.establish({ params: this.#request.params, result });
        if (typeof result['protocolVersion'] === 'string')
          transport.setProtocolVersion(result['protocolVersion']);
      } else session.forget();
    }
    this.#wire.receive(answer);
  }

  /** Milliseconds until it is worth taking the stream up again; throws when it is not. */
  #nextAttempt(failure: unknown, openMs: number): number {
    if (failure instanceof FittingsError && failure.kind === 'protocol') throw failure;
    const { reconnect, random } = this.#wire.options;
    const { lastEventId, progressed, retryMs } = this.#cursor;
    const passing =
      failure === undefined ||
      (failure instanceof FittingsError &&
        (failure.retryable || isGateway(failure)) &&
        failure.code !== 'SESSION_LOST');
    let ms: number | undefined;
    if (passing && !this.#headers.stateless && lastEventId !== undefined) {
      this.#reconnects ??= createReconnects(reconnect, random);
      ms = this.#reconnects.next({ progressed, openMs: this.#streams ? openMs : 0, retryMs, failure });
    }
    if (ms === undefined) throw this.#streamLost(failure);
    return ms;
  }

  #silentFailure(): TransportError {
    const ms = this.#wire.options.silenceMs;
    return new TransportError('TIMEOUT', `The server sent nothing for ${ms} ms.`, {
      hint: 'The connection may be half-open. A server keeps a stream alive with comments.',
    });
  }

  #streamLost(cause: unknown): TransportError {
    const why = cause instanceof FittingsError ? `: ${cause.message}` : '.';
    return new TransportError('STREAM_LOST', `The stream of a request ended without its answer${why}`, {
      cause,
      delivery: 'unknown',
      hint: 'Send it again only if doing it twice does no harm.',
    });
  }
}

function unanswered(): TransportError {
  return new TransportError('PROTOCOL_VIOLATION', 'The reply to a request does not hold its answer.', {
    delivery: 'unknown',
    hint: 'The server answered under another id, or sent something else.',
  });
}

/** The server itself says that it does not resume streams. */
const NO_RESUMPTION: ReadonlySet<unknown> = new Set([405, 501]);

/** The request was accepted: what a gateway or a resolver, and not the server, says meanwhile may pass. */
function isGateway({ kind, details }: FittingsError): boolean {
  return (
    kind === 'network-permanent' && !NO_RESUMPTION.has(details['status']) && details['rpcCode'] === undefined
  );
}
