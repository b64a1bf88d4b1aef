import type {
  Delivery,
  FittingsError,
  JSONRPCMessage,
  JSONRPCResponse,
  RequestId,
  Transport,
  TransportDescription,
  TransportError,
  TransportObserver,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import type { Redactor } from '../text/redact.js';
import { isRequestId, shapeOf, type MessageMembers } from '../messages.js';
import { afterTurn, RefusalPace } from './after-turn.js';
import { HandlerGuard, OrderedDelivery } from './handlers.js';
import { Inbound, formatId } from './inbound.js';
import { Opening } from './opening.js';
import { PendingRequests } from './pending-requests.js';
import { callSafely, isForeignError, nameServer, TransportController } from './transport-controller.js';

const NO_OPTIONS: TransportSendOptions = {};

/** Options of {@link BaseTransport}, for the constructor of a transport to pass on. */
export interface BaseTransportOptions {
  /** Name of the server. Every error of the transport has it as `server`. Default none. */
  readonly server?: string | undefined;
  /**
   * Closes the connection when it is aborted. `closeReason` is then an `ABORTED` error whose `cause` is the reason of the
   * signal. `start()` rejects with it if the connection is not open yet; otherwise, open requests do. Default none.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The life cycle that every transport shares. A subclass implements only the wire: `open()`, `write()`, `shutDown()` and
 * `describe()`. The base class starts and closes once, ends with its `signal`, sets `closeReason` before it calls `onclose` once,
 * tracks which requests wait for a response and which were not sent yet, names the server in every error, drops unexpected
 * responses, and keeps exceptions of host handlers away from the wire.
 *
 * Its public members beyond {@link Transport} are for the components of the wire, see {@link TransportController}. Return the
 * transport to hosts as a `Transport`.
 *
 * @example
 * ```ts
 * class SocketTransport extends BaseTransport {
 *   readonly #socket = new Socket();
 *   protected override async open() {
 *     this.#socket.on('message', (text) => this.receive(JSON.parse(text)));
 *     this.#socket.on('close', () => this.fail(this.error('CONNECTION_LOST', 'The server closed the socket.')));
 *     await this.#socket.connect();
 *   }
 *   protected override async write(message: JSONRPCMessage) {
 *     await this.#socket.send(this.encode(message));
 *   }
 *   protected override async shutDown() {
 *     this.#socket.destroy();
 *   }
 *   override describe() {
 *     return { transport: 'socket' };
 *   }
 * }
 * ```
 */
export abstract class BaseTransport extends TransportController implements Transport {
  /** {@inheritDoc @mcp-fittings/client-core#Transport.onmessage} */
  onmessage?: (message: JSONRPCMessage, extra?: unknown) => void;
  /** {@inheritDoc @mcp-fittings/client-core#Transport.onerror} */
  onerror?: (error: Error) => void;
  /** {@inheritDoc @mcp-fittings/client-core#Transport.onclose} */
  onclose?: () => void;

  readonly #signal: AbortSignal | undefined;
  #observer: TransportObserver | undefined;
  #state: 'new' | 'starting' | 'open' | 'ended' = 'new';
  #closeReason: TransportError | undefined;
  #ended: Promise<void> | undefined;
  /** The connection was open, and `onclose` has not run. */
  #owesClose = false;
  #opening: Opening | undefined;
  readonly #pending = new PendingRequests();
  readonly #handlers = new HandlerGuard(this);
  readonly #refusals = new RefusalPace();
  readonly #inbound = new Inbound(this, this.#pending);
  readonly #delivery: OrderedDelivery;
  readonly #messageHandlerFailed = (cause: unknown): void => this.#reportHandler('message', cause);

  constructor(options: BaseTransportOptions = {}) {
    super(options.server);
    this.#signal = options.signal;
    this.#delivery = new OrderedDelivery(this.#deliver);
  }

  /**
   * Opens the wire. Rejects if that fails; an `AuthRequiredError` reaches the caller of `start()` unchanged. `signal` is
   * aborted if the connection ends before it is open; stop then.
   */
  protected abstract open(signal: AbortSignal): Promise<void>;
  /**
   * Writes one message to the wire, in the order of the calls. Resolves when the wire has accepted it; return undefined if it
   * already has. Throw, or reject with, a `TransportError` that has a `delivery`. Another `FittingsError`, such as one of
   * sign-in, reaches the caller unchanged.
   */
  protected abstract write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> | undefined;
  /**
   * Ends the wire and frees its resources. Must not reject. Called once, also if `open()` has failed. If `open()` is still
   * running, it is called again after `open()` has settled, to free what that has created meanwhile; `open()` has to settle
   * soon. `reason` is why the wire has failed; undefined if the connection was closed or aborted on this side.
   */
  protected abstract shutDown(reason: TransportError | undefined): Promise<void>;
  /**
   * Removes the secrets of the connection from a text. Every error response of the peer passes through it, with its data. Default:
   * the transport has no secrets.
   */
  protected get redact(): Redactor | undefined {
    return undefined;
  }
  /** {@inheritDoc @mcp-fittings/client-core#Transport.describe} */
  abstract describe(): TransportDescription;

  /** {@inheritDoc @mcp-fittings/client-core#Transport.closeReason} */
  get closeReason(): TransportError | undefined {
    return this.#closeReason;
  }

  /** {@inheritDoc @mcp-fittings/client-core#Transport.start} */
  async start(): Promise<void> {
    if (this.#state !== 'new') {
      // A second client has replaced the handlers of the first one by now.
      if (this.#state !== 'ended') this.#handlers.restore();
      throw this.error(
        'TRANSPORT_ALREADY_STARTED',
        'A transport is used once, and this one was started or closed before.',
      );
    }
    this.#state = 'starting';
    this.#handlers.keep();
    const signal = this.#signal;
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (this.#ended === undefined) await this.#open();
    if (this.#ended !== undefined) {
      // Closed, aborted, or given up by the wire, while it was opening.
      await this.#ended;
      throw (
        this.#closeReason ?? this.error('TRANSPORT_CLOSED', 'The transport was closed while it was starting.')
      );
    }
    this.#state = 'open';
    this.#owesClose = true;
    this.#inbound.releaseEarly();
  }

  async #open(): Promise<void> {
    const opening = new Opening();
    this.#opening = opening;
    try {
      await opening.run((signal) => this.open(signal));
      this.#opening = undefined;
    } catch (cause) {
      this.#opening = undefined;
      if (this.#ended !== undefined) return;
      await this.#end(this.asTransportError(cause, 'CONNECT_FAILED'));
      if (isForeignError(cause)) throw nameServer(cause, this.server);
    }
  }

  /** {@inheritDoc @mcp-fittings/client-core#Transport.observe} */
  observe(observer: TransportObserver): void {
    this.#observer = observer;
  }

  /** {@inheritDoc @mcp-fittings/client-core#Transport.send} */
  send(message: JSONRPCMessage, options: TransportSendOptions = NO_OPTIONS): Promise<void> {
    return this.#observer?.send(message, options, this.#send) ?? this.#send(message, options);
  }

  /** Not an async function, like those that it calls: each would cost a call two promises more. */
  readonly #send = (message: JSONRPCMessage, options: TransportSendOptions): Promise<void> => {
    if (this.#state !== 'open') return this.#refuse(this.#notOpen());
    this.#handlers.keep();
    if (typeof message !== 'object' || message === null) {
      const problem = 'The value passed to send() is not a JSON-RPC message.';
      return Promise.reject(this.error('MESSAGE_INVALID', problem, { delivery: 'not-sent' }));
    }
    const { method, id }: MessageMembers = message;
    if (method === undefined || id === undefined) {
      if (method === 'notifications/cancelled') this.#forgetCancelled(message);
      return this.#sendOther(message, options);
    }
    const { requestSignal } = options;
    if (requestSignal?.aborted === true) return Promise.reject(this.aborted(requestSignal, 'not-sent'));
    const answered = this.#pending.add(id);
    if (answered === undefined) {
      const text = `Another request with the id ${formatId(id)} is still in flight.`;
      return Promise.reject(this.error('REQUEST_ID_IN_USE', text, { delivery: 'not-sent' }));
    }
    if (requestSignal !== undefined) this.#failOnAbort(id, requestSignal, answered);
    try {
      this.write(message, options)?.then(undefined, (cause: unknown) => this.#failSend(id, cause));
    } catch (cause) {
      this.#failSend(id, cause);
    }
    return answered;
  };

  /** {@inheritDoc @mcp-fittings/client-core#Transport.close} */
  close(): Promise<void> {
    const ended = this.#end(undefined);
    // Also if the other side has ended it before: an engine that closes must not keep a dead transport.
    this.#tellClosed();
    return ended;
  }

  /** Calls {@link close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** {@inheritDoc TransportController.receive} */
  override receive(value: unknown): void {
    if (this.#state === 'ended') return;
    if (this.#state !== 'open') return this.#inbound.keepEarly(value);
    // Classified once, see MessageMembers.
    const shape = shapeOf(value);
    if (shape === 'invalid') this.#inbound.receiveInvalid(value);
    else if (shape === 'request' || shape === 'notification') {
      this.markUnsolicited();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- shapeOf() has checked it
      this.#delivery.push(value as JSONRPCMessage, false);
    } else {
      const redact = shape === 'error' ? this.redact : undefined;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- shapeOf() has checked it
      const response = this.#inbound.expected(value as JSONRPCResponse, redact);
      if (response === undefined) return;
      this.budget.settle('requested');
      this.#delivery.push(response, true);
    }
  }

  /** {@inheritDoc TransportController.fail} */
  override fail(reason: TransportError): void {
    if (this.#ended === undefined) this.flushIntakes();
    void this.#end(reason);
  }

  /** {@inheritDoc TransportController.failRequest} */
  override failRequest(id: RequestId, error: FittingsError): boolean {
    const failed = this.#pending.fail(this.#pending.own(id), nameServer(error, this.server));
    if (failed) this.budget.settle('requested');
    return failed;
  }

  /** {@inheritDoc TransportController.isPending} */
  override isPending(id: RequestId): boolean {
    return this.#pending.has(this.#pending.own(id));
  }

  /** {@inheritDoc TransportController.markUnsent} */
  override markUnsent(id: RequestId): void {
    this.#pending.setUnsent(id, true);
  }

  /** {@inheritDoc TransportController.markSent} */
  override markSent(id: RequestId): void {
    this.#pending.setUnsent(id, false);
  }

  /** {@inheritDoc TransportController.ended} */
  override get ended(): boolean {
    return this.#state === 'ended';
  }

  /** {@inheritDoc TransportController.lost} */
  override lost(delivery: Delivery): TransportError {
    const reason = this.#closeReason;
    if (reason === undefined)
      return this.error('TRANSPORT_CLOSED', 'The transport was closed.', { delivery });
    const { hint, kind, retryable, details, cause } = reason;
    return this.error(reason.code, reason.message, { hint, kind, retryable, details, cause, delivery });
  }

  #failOnAbort(id: RequestId, signal: AbortSignal, answered: Promise<void>): void {
    const release = this.onAbort(signal, () => {
      this.#pending.fail(id, this.aborted(signal, this.#pending.isUnsent(id) ? 'not-sent' : 'unknown'));
    });
    answered.then(release, release);
  }

  #sendOther(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    try {
      const written = this.write(message, options) ?? Promise.resolve();
      return written.catch((cause: unknown) => this.#refuse(this.#sendFailure(cause)));
    } catch (cause) {
      return this.#refuse(this.#sendFailure(cause));
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
    return isForeignError(cause)
      ? nameServer(cause, this.server)
      : this.asTransportError(cause, 'CONNECTION_LOST', 'unknown');
  }

  /** The engine gives up a request with `notifications/cancelled`; its response may then never arrive. */
  #forgetCancelled(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    const id = message.params?.['requestId'];
    if (isRequestId(id)) this.#pending.forget(id);
  }

  /** Delivers one message to the host, whose handler may throw or reject without ending the connection. */
  readonly #deliver = (message: JSONRPCMessage, answers: boolean): void => {
    const { id }: MessageMembers = answers ? message : {};
    const settle = isRequestId(id) ? this.#pending.takeAnswered(id) : undefined;
    // Canceled while its response was delayed.
    if (answers && settle === undefined) return;
    this.#handlers.keep();
    try {
      const passed = this.#observer === undefined ? message : this.#observer.receive(message);
      const handled: unknown = passed && this.onmessage?.(passed);
      if (handled instanceof Promise) handled.catch(this.#messageHandlerFailed);
    } catch (cause) {
      this.#messageHandlerFailed(cause);
    }
    settle?.();
  };

  /** Reports that a handler of the host has failed. The connection stays open. */
  #reportHandler(which: 'message' | 'close', cause: unknown): void {
    this.report(this.error('CALLBACK_FAILED', `The ${which} handler of the host threw.`, { cause }));
  }

  #notOpen(): TransportError {
    if (this.#state === 'ended') return this.lost('not-sent');
    const options = { delivery: 'not-sent' } as const;
    return this.error('TRANSPORT_NOT_STARTED', 'The transport is not started yet.', options);
  }

  /** Ours, as `close()` is, but with a reason. */
  readonly #onAbort = (): void => {
    const cause: unknown = this.#signal?.reason;
    void this.#end(this.error('ABORTED', 'The host gave up the connection.', { cause }), true);
  };

  #end(reason: TransportError | undefined, isOwn = reason === undefined): Promise<void> {
    if (this.#ended !== undefined) return this.#ended;
    this.#state = 'ended';
    this.#closeReason = reason && nameServer(reason, this.server);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    // Set before any handler runs, so that a handler that closes finds it closed.
    this.#ended = Promise.resolve().then(() => this.#finish(isOwn ? undefined : reason));
    this.#opening?.abort(reason);
    this.stopIntakes();
    if (isOwn) this.#delivery.stop();
    else this.#delivery.flush();
    // Before the requests fail: after `close()`, a program expects the error of its SDK.
    if (isOwn) this.#tellClosed();
    this.#pending.failAll((isUnsent) => this.lost(isUnsent ? 'not-sent' : 'unknown'));
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
    this.runEndTasks();
    await free();
    await opening?.freeWhenSettled(free);
    if (!this.#owesClose) return;
    // One turn later, so that each request has failed with its own reason before the engine fails the rest.
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
