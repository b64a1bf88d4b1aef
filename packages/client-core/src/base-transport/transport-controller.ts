import type { JSONRPCMessage, RequestId } from '../contracts/json-rpc.js';
import type { ErrorCode } from '../errors/codes.js';
import { FittingsError, type Delivery, type FittingsErrorOptions } from '../errors/fittings-error.js';
import { classifySystemError } from '../errors/system-errors.js';
import { TransportError } from '../errors/fittings-error.js';
import { sanitizeText } from '../text/sanitize-text.js';
import { createAbortWatch } from './abort-watch.js';
import { createDiagnostics } from './diagnostics.js';
import { createIntake, createPacedSource, type Intake, type PacedSource, type Pausable } from './intake.js';
import { TurnBudget } from './turn-budget.js';

/**
 * What a transport does for its wire: takes what came in, fails what can get no answer any more, makes and reports
 * errors, and spreads work over turns of the event loop. A `BaseTransport` is one; the parts of a wire (its reader, its
 * queue, its event stream) get the transport as their controller.
 */
export abstract class TransportController {
  abstract onerror?: (error: Error) => void;

  /** Name of the server, for the texts of errors. */
  readonly server: string | undefined;
  #protocolVersion: string | undefined;
  protected readonly budget = new TurnBudget();
  #intakes: Pick<Intake<never>, 'flush' | 'stop'>[] = [];
  readonly #abortWatch = createAbortWatch();
  readonly #diagnostics = createDiagnostics((error) => this.report(error));

  constructor(server: string | undefined) {
    this.server = server;
  }

  /** A parsed value came in. */
  abstract receive(value: unknown): void;
  /** The wire has ended by itself, or has to be given up. */
  abstract fail(reason: TransportError): void;
  /** One request can get no answer any more. False: it is not in flight. */
  abstract failRequest(id: RequestId, error: FittingsError): boolean;
  /** The request is in flight, and its answer has not come yet. */
  abstract isPending(id: RequestId): boolean;
  /**
   * For a wire that does not send at once, for example because it waits for credentials: this request waits, and the peer
   * cannot have seen it. If the connection ends before {@link markSent}, the request fails as `not-sent`.
   */
  abstract markUnsent(id: RequestId): void;
  /** The request is about to go on the wire. */
  abstract markSent(id: RequestId): void;
  /** The connection has ended, whoever ended it. */
  abstract readonly ended: boolean;
  /** Runs `task` when the connection has ended, just before `shutDown`; at once if that is past. The result takes it back. */
  abstract onEnd(task: () => void): () => void;
  /** After the end: why what is left cannot be delivered any more. */
  abstract lost(delivery: Delivery): TransportError;

  /** The negotiated protocol revision, once it is known. */
  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  limitUnasked(share: number): void {
    this.budget.limitUnasked(share);
  }

  /**
   * What is being handled is nothing that we asked for, see `Transport.limitUnasked`. The messages given to
   * {@link receive}, and what is reported with {@link reportCounted}, need no such call.
   */
  unasked(): void {
    this.budget.settle('unasked');
  }

  /**
   * A place for what arrived and is not parsed yet. `take` handles one item, at once as long as this connection has used
   * little of the current turn of the event loop, and in later turns otherwise; stop reading while the intake is `busy`.
   * What waits is handled when the wire fails, and dropped by our own `close()`. All intakes of a transport share one
   * budget.
   */
  intake<T>(take: (item: T) => void, estimateMs?: (item: T) => number): Intake<T> {
    const intake = createIntake({ budget: this.budget, take, estimateMs });
    this.#intakes.push(intake);
    return intake;
  }

  /**
   * For a wire that handles at once what it reads: `read` of the result does so and, under `Transport.limitUnasked`, pauses
   * the source while the peer has used up its share. Resume the source by yourself when the transport ends.
   */
  paced(source: Pausable): PacedSource {
    return createPacedSource(this.budget, source);
  }

  /**
   * Runs `task` when the signal of a request is aborted; the result takes the task back. However many requests share a
   * signal, it has one listener of this transport, and none when they are done.
   */
  onAbort(signal: AbortSignal, task: () => void): () => void {
    return this.#abortWatch.on(signal, task);
  }

  /** Calls a function that the host supplied; what it throws, or rejects with, is reported as `CALLBACK_FAILED`. */
  guard(callback: () => unknown, what = 'A function that the host supplied'): void {
    callSafely(callback, (cause) => this.report(this.error('CALLBACK_FAILED', `${what} threw.`, { cause })));
  }

  /** Something is wrong and the connection lives on. */
  report(error: Error): void {
    if (error instanceof FittingsError) nameServer(error, this.server);
    // A handler that fails while it is told of an error leaves nobody to tell.
    callSafely(
      () => this.onerror?.(error),
      () => undefined,
    );
  }

  /** Like {@link report}, for what a peer can send without end. */
  reportCounted(code: ErrorCode, describe: () => string): void {
    this.unasked();
    this.#diagnostics.count(code, (times) => {
      const message = times === 1 ? describe() : `${describe()} (${times} times so far)`;
      return this.error(code, message, { details: { times } });
    });
  }

  /** An error that names the server. */
  error(code: ErrorCode, message: string, options: FittingsErrorOptions = {}): TransportError {
    return new TransportError(code, message, { server: this.server, ...options });
  }

  /** What was thrown, as a `TransportError`; `fallback` where the platform's code says nothing better. */
  asTransportError(cause: unknown, fallback: ErrorCode, delivery?: Delivery): TransportError {
    if (cause instanceof TransportError) return nameServer(cause, this.server);
    const text = cause instanceof Error ? cause.message : String(cause);
    return this.error(classifySystemError(cause) ?? fallback, sanitizeText(text), { cause, delivery });
  }

  /** The message as JSON text. Throws `MESSAGE_UNSERIALIZABLE`, `delivery: 'not-sent'`. */
  encode(message: JSONRPCMessage): string {
    let cause: unknown;
    try {
      // Not always a string, whatever its type says: a `toJSON` may give undefined.
      const text: unknown = JSON.stringify(message);
      if (typeof text === 'string') return text;
    } catch (error) {
      cause = error;
    }
    throw this.error('MESSAGE_UNSERIALIZABLE', 'The message cannot be written as JSON.', {
      cause,
      delivery: 'not-sent',
      hint: 'Arguments must be plain JSON: no BigInt, no circular reference.',
    });
  }

  /** How often the peer sent what had to be ignored, by kind. */
  protected get ignored(): Readonly<Record<string, number>> {
    return this.#diagnostics.counts;
  }

  /** Handles at once what waits in the intakes: the wire has failed. */
  protected flushIntakes(): void {
    for (const intake of this.#intakes) intake.flush();
  }

  /** Drops what waits in the intakes, and all that comes. */
  protected stopIntakes(): void {
    for (const intake of this.#intakes.splice(0)) intake.stop();
    this.budget.close();
  }
}

/** Runs a function of the host, which may throw or, being async, reject: neither reaches the caller. */
export function callSafely(work: () => unknown, failed: (cause: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(failed);
  } catch (cause) {
    failed(cause);
  }
}

/** Says which server an error is about, if it does not say so itself, and gives the error back. */
export function nameServer<E extends FittingsError>(error: E, server: string | undefined): E {
  return server === undefined || error.server !== undefined ? error : Object.assign(error, { server });
}
