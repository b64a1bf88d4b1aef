import type { JSONRPCMessage, RequestId } from '../contracts/json-rpc.js';
import type { Transport, TransportFacts, TransportSendOptions } from '../contracts/transport.js';
import type { ErrorCode } from '../errors/codes.js';
import { FittingsError, type Delivery, type FittingsErrorOptions } from '../errors/fittings-error.js';
import { codeOfSystemError } from '../errors/system-codes.js';
import { TransportError } from '../errors/transport-error.js';
import { isRequest, isRequestId, isResponse } from '../jsonrpc/classify.js';
import { sanitizeText } from '../tools/sanitize.js';
import { createAbortWatch } from './abort-watch.js';
import { callSafely } from './call-safely.js';
import { createDiagnostics } from './diagnostics.js';
import { afterTurn } from './after-turn.js';
import { HandlerGuard } from './handler-guard.js';
import { Inbound, shownId } from './inbound.js';
import { createIntake, type Intake } from './intake.js';
import { Opening } from './opening.js';
import { createOrderedDelivery } from './ordered-delivery.js';
import { createPacedSource, type PacedSource, type Pausable } from './paced-source.js';
import { createPendingRequests } from './pending-requests.js';
import { RefusalPace } from './refusal-pace.js';
import { TurnBudget } from './turn-budget.js';

const NO_OPTIONS: TransportSendOptions = {};

export interface BaseTransportOptions {
  /** Name of the server, for error messages. */
  readonly server?: string | undefined;
}

/**
 * The life cycle that every transport shares, so that an implementer writes only the wire: `open`, `write`,
 * `shutDown`. It starts once, closes once, sets `closeReason` before it calls `onclose` once, knows which requests
 * wait for an answer, drops answers nobody asked for, and keeps a throwing handler of the host away from the wire.
 */
export abstract class BaseTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;

  protected readonly server: string | undefined;
  #state: 'new' | 'starting' | 'open' | 'ended' = 'new';
  #closeReason: TransportError | undefined;
  #ended: Promise<void> | undefined;
  /** The connection was open, and `onclose` has not run. */
  #owesClose = false;
  #opening: Opening | undefined;
  #protocolVersion: string | undefined;
  readonly #pending = createPendingRequests();
  readonly #budget = new TurnBudget();
  #intakes: Pick<Intake<never>, 'flush' | 'stop'>[] = [];
  readonly #abortWatch = createAbortWatch();
  readonly #handlers = new HandlerGuard(this);
  readonly #refusals = new RefusalPace();
  readonly #delivery = createOrderedDelivery((message) => this.#hand(message));
  readonly #diagnostics = createDiagnostics((error) => this.report(error));
  readonly #inbound = new Inbound({
    pending: this.#pending,
    revision: () => this.#protocolVersion,
    receive: (value) => this.receive(value),
    settle: (kind) => this.#budget.settle(kind),
    accept: (message) => this.#delivery.push(message),
    failRequest: (id, problem) =>
      this.failRequest(id, this.error('PROTOCOL_VIOLATION', problem, { delivery: 'unknown' })),
    report: (code, describe) => this.reportCounted(code, describe),
  });

  constructor(options: BaseTransportOptions = {}) {
    this.server = options.server;
  }

  /**
   * Opens the wire; rejects when there is none. An `AuthRequiredError` reaches the caller of `start` unchanged. `signal`
   * is aborted when the connection ends before it is open: give up what is under way.
   */
  protected abstract open(signal: AbortSignal): Promise<void>;
  /**
   * Puts one message on the wire, in the order of the calls; settles when the wire took it, or gives nothing when it has
   * done so already. Reject with, or throw, a `TransportError` that has a `delivery`. A `FittingsError` of another part
   * (sign-in) reaches the caller unchanged.
   */
  protected abstract write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> | undefined;
  /**
   * Ends the wire and frees everything; must not reject. Called once, also when `open` failed. When `open` is still
   * running it is called again after `open` has settled, for what that made in the meantime; `open` has to settle soon.
   */
  protected abstract shutDown(reason: TransportError | undefined): Promise<void>;
  abstract describe(): TransportFacts;

  get closeReason(): TransportError | undefined {
    return this.#closeReason;
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  limitUnasked(share: number): void {
    this.#budget.limitUnasked(share);
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') {
      // A second client has put its handlers in the place of the first one's by now.
      if (this.#state !== 'ended') this.#handlers.restore();
      throw this.error('TRANSPORT_ALREADY_STARTED', 'The transport was started or closed before.', {
        hint: 'A transport is used once: make a new one to connect again.',
      });
    }
    this.#state = 'starting';
    this.#handlers.keep();
    const opening = new Opening();
    this.#opening = opening;
    try {
      await opening.run((signal) => this.open(signal));
      this.#opening = undefined;
    } catch (cause) {
      this.#opening = undefined;
      const reason = this.asTransportError(cause, 'CONNECT_FAILED');
      await this.#end(reason);
      if (isForeignFittingsError(cause)) throw cause;
      throw this.#closeReason ?? reason;
    }
    if (this.#ended !== undefined) {
      // Closed, or given up by the wire, while it was opening.
      await this.#ended;
      throw (
        this.#closeReason ?? this.error('TRANSPORT_CLOSED', 'The transport was closed while it was starting.')
      );
    }
    this.#state = 'open';
    this.#owesClose = true;
    this.#inbound.releaseEarly();
  }

  send(message: JSONRPCMessage, options: TransportSendOptions = NO_OPTIONS): Promise<void> {
    if (this.#state !== 'open') return this.#refuse(this.#notOpen());
    this.#handlers.keep();
    if (typeof message !== 'object' || message === null) {
      const problem = 'What was to be sent is no message.';
      return Promise.reject(this.error('MESSAGE_INVALID', problem, { delivery: 'not-sent' }));
    }
    return isRequest(message)
      ? this.#sendRequest(message.id, message, options)
      : this.#sendOther(message, options);
  }

  close(): Promise<void> {
    const ended = this.#end(undefined);
    // Also where the other side ended it before: an engine that closes must not be left with a dead transport.
    this.#tellClosed();
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The negotiated protocol revision, once it is known. */
  protected get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  /** How often the peer sent what had to be ignored, by kind. */
  protected get ignored(): Readonly<Record<string, number>> {
    return this.#diagnostics.counts;
  }

  /** For the wire: a parsed value came in. */
  protected receive(value: unknown): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'open') this.#inbound.receive(value);
    else this.#inbound.keepEarly(value);
  }

  /**
   * For the wire: what is being handled is nothing that we asked for, see {@link Transport.limitUnasked}. The messages
   * given to `receive`, and what is reported with `reportCounted`, need no such word.
   */
  protected unasked(): void {
    this.#budget.settle('unasked');
  }

  /**
   * For the wire: a place for what arrived and is not parsed yet. `take` handles one item, at once as long as this
   * connection has used little of the current turn of the event loop, and in later turns otherwise; stop reading while
   * the intake is `busy`. What waits is handled when the wire fails, and dropped by our own `close()`. All intakes of a
   * transport share one budget.
   */
  protected intake<T>(take: (item: T) => void, estimateMs?: (item: T) => number): Intake<T> {
    const intake = createIntake({ budget: this.#budget, take, estimateMs });
    this.#intakes.push(intake);
    return intake;
  }

  /**
   * For a wire that handles at once what it reads: `read` of the result does so and, under {@link Transport.limitUnasked},
   * pauses the source while the peer has used up its share. Resume the source by yourself when the transport ends.
   */
  protected paced(source: Pausable): PacedSource {
    return createPacedSource(this.#budget, source);
  }

  /** For the wire: it has ended by itself, or has to be given up. */
  protected fail(reason: TransportError): void {
    if (this.#ended === undefined) for (const intake of this.#intakes) intake.flush();
    void this.#end(reason);
  }

  /** For the wire: one request can get no answer any more. False: it is not in flight. */
  protected failRequest(id: RequestId, error: FittingsError): boolean {
    const failed = this.#pending.fail(id, error);
    if (failed) this.#budget.settle('asked');
    return failed;
  }

  protected isPending(id: RequestId): boolean {
    return this.#pending.has(id);
  }

  /** For a wire with a queue: whether this request still waits in it, so that the peer can't have seen it. */
  protected isUnsent(_id: RequestId): boolean {
    return false;
  }

  /**
   * For the wire: runs `task` when the signal of a request is aborted; the result takes the task back. However many
   * requests share a signal, it has one listener of this transport, and none when they are done.
   */
  protected onAbort(signal: AbortSignal, task: () => void): () => void {
    return this.#abortWatch.on(signal, task);
  }

  /** For the wire: something is wrong and the connection lives on. */
  protected report(error: Error): void {
    // A handler that fails while it is told of an error leaves nobody to tell.
    callSafely(
      () => this.onerror?.(error),
      () => undefined,
    );
  }

  /** For the wire: like {@link report}, for what a peer can send without end. */
  protected reportCounted(code: ErrorCode, describe: () => string): void {
    this.unasked();
    this.#diagnostics.count(code, (times) => {
      const message = times === 1 ? describe() : `${describe()} (${times} times so far)`;
      return this.error(code, message, { details: { times } });
    });
  }

  /** An error that names the server. */
  protected error(code: ErrorCode, message: string, options: FittingsErrorOptions = {}): TransportError {
    return new TransportError(code, message, { server: this.server, ...options });
  }

  /** For the wire: the message as JSON text. Throws `MESSAGE_UNSERIALIZABLE`, `delivery: 'not-sent'`. */
  protected encode(message: JSONRPCMessage): string {
    let cause: unknown;
    try {
      // Not always a string, whatever its type says: a `toJSON` may give undefined.
      const text: unknown = JSON.stringify(message);
      if (typeof text === 'string') return text;
    } catch (error) {
      cause = error;
    }
    throw this.error('MESSAGE_UNSERIALIZABLE', 'The message can not be written as JSON.', {
      cause,
      delivery: 'not-sent',
      hint: 'Arguments must be plain JSON: no BigInt, no circular reference.',
    });
  }

  /** What was thrown, as a `TransportError`; `fallback` where the platform's code says nothing better. */
  protected asTransportError(cause: unknown, fallback: ErrorCode, delivery?: Delivery): TransportError {
    if (cause instanceof TransportError) return cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    return this.error(codeOfSystemError(cause) ?? fallback, sanitizeText(text), { cause, delivery });
  }

  /** Once it ended: why what is left can't be delivered any more. */
  protected lost(delivery: Delivery): TransportError {
    const reason = this.#closeReason;
    if (reason === undefined)
      return this.error('TRANSPORT_CLOSED', 'The transport was closed.', { delivery });
    const { hint, kind, retryable, details, cause } = reason;
    return this.error(reason.code, reason.message, { hint, kind, retryable, details, cause, delivery });
  }

  /** No async function, here and in what follows: each would cost a call two promises more. */
  #sendRequest(id: RequestId, message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const { requestSignal } = options;
    if (requestSignal?.aborted === true) return Promise.reject(this.#aborted(requestSignal, 'not-sent'));
    const answered = this.#pending.add(id);
    if (answered === undefined) {
      const text = `Another request with the id ${shownId(id)} is still in flight.`;
      return Promise.reject(this.error('REQUEST_ID_IN_USE', text, { delivery: 'not-sent' }));
    }
    if (requestSignal !== undefined) this.#failOnAbort(id, requestSignal, answered);
    try {
      this.write(message, options)?.then(undefined, (cause: unknown) => this.#failSend(id, cause));
    } catch (cause) {
      this.#failSend(id, cause);
    }
    return answered;
  }

  #failOnAbort(id: RequestId, signal: AbortSignal, answered: Promise<void>): void {
    const release = this.onAbort(signal, () => {
      this.#pending.fail(id, this.#aborted(signal, 'unknown'));
    });
    answered.then(release, release);
  }

  #sendOther(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const failed = (cause: unknown): Promise<never> => this.#refuse(this.#sendFailure(cause));
    this.#forgetCancelled(message);
    try {
      return this.write(message, options)?.catch(failed) ?? Promise.resolve();
    } catch (cause) {
      return failed(cause);
    }
  }

  #failSend(id: RequestId, cause: unknown): void {
    const reject = this.#pending.release(id);
    if (reject === undefined) return;
    const error = this.#sendFailure(cause);
    this.#refusals.run(() => reject(error));
  }

  #refuse(error: FittingsError): Promise<never> {
    return new Promise((_, reject) => this.#refusals.run(() => reject(error)));
  }

  #sendFailure(cause: unknown): FittingsError {
    return isForeignFittingsError(cause) ? cause : this.asTransportError(cause, 'CONNECTION_LOST', 'unknown');
  }

  /** The engine gives up a request with `notifications/cancelled`; its answer may then never come. */
  #forgetCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.['requestId'];
    if (isRequestId(id)) this.#pending.forget(id);
  }

  #hand(message: JSONRPCMessage): void {
    const answered = isResponse(message) ? message.id : undefined;
    const settle = answered === undefined ? undefined : this.#pending.takeAnswered(answered);
    // Cancelled while its answer was held back.
    if (answered !== undefined && settle === undefined) return;
    this.#handlers.keep();
    callSafely(() => this.onmessage?.(message), this.#messageHandlerFailed);
    settle?.();
  }

  readonly #messageHandlerFailed = (cause: unknown): void => this.#reportHandler('message', cause);

  /** The host's handler failed; the wire goes on. */
  #reportHandler(which: 'message' | 'close', cause: unknown): void {
    this.report(this.error('CALLBACK_FAILED', `The ${which} handler threw.`, { cause }));
  }

  #aborted(signal: AbortSignal, delivery: Delivery): TransportError {
    return this.error('ABORTED', 'The caller gave up the request.', { cause: signal.reason, delivery });
  }

  #notOpen(): TransportError {
    if (this.#state !== 'ended') {
      return this.error('TRANSPORT_NOT_STARTED', 'The transport is not started yet.', {
        delivery: 'not-sent',
      });
    }
    return this.lost('not-sent');
  }

  #end(reason: TransportError | undefined): Promise<void> {
    if (this.#ended !== undefined) return this.#ended;
    this.#state = 'ended';
    this.#closeReason = reason;
    // Set before any handler runs, so that a handler that closes finds it closed.
    this.#ended = Promise.resolve().then(() => this.#finish(reason));
    this.#opening?.abort(reason);
    for (const intake of this.#intakes.splice(0)) intake.stop();
    this.#budget.close();
    if (reason === undefined) this.#delivery.stop();
    else this.#delivery.flush();
    // Before the requests fail: after its own `close()` a program expects the error of its SDK.
    if (reason === undefined) this.#tellClosed();
    this.#pending.failAll((id) => this.lost(this.isUnsent(id) ? 'not-sent' : 'unknown'));
    return this.#ended;
  }

  async #finish(reason: TransportError | undefined): Promise<void> {
    const free = async (): Promise<void> => {
      try {
        await this.shutDown(reason);
      } catch (cause) {
        this.report(this.asTransportError(cause, 'CONNECTION_LOST'));
      }
    };
    const opening = this.#opening;
    await free();
    await opening?.freeWhenSettled(free);
    if (!this.#owesClose) return;
    // A whole turn later, so that each request has failed with its own reason before the engine fails the rest.
    await new Promise<void>((resolve) => afterTurn(resolve));
    this.#tellClosed();
  }

  #tellClosed(): void {
    if (!this.#owesClose) return;
    this.#owesClose = false;
    callSafely(
      () => this.onclose?.(),
      (cause) => this.#reportHandler('close', cause),
    );
  }
}

/** Made on purpose by another part, like the `AuthRequiredError` of a provider: the caller gets it unchanged. */
function isForeignFittingsError(cause: unknown): cause is FittingsError {
  return cause instanceof FittingsError && !(cause instanceof TransportError);
}
