import {
  type Delivery,
  type ErrorCode,
  FittingsError,
  type FittingsErrorOptions,
  type JSONRPCMessage,
  type RequestId,
  TransportError,
} from '@mcp-fittings/client-core';
import { classifySystemError } from '../errors/system-errors.js';
import { sanitizeText } from '../text/sanitize-text.js';
import { Intake } from './intake.js';
import { BYTES_PER_MS } from './paced-source.js';
import { TurnBudget } from './turn-budget.js';

/**
 * Serves the wire of a transport: it accepts what arrives, fails requests that cannot be answered, creates and reports
 * errors, and spreads work over turns of the event loop. Every `BaseTransport` is one. Pass it to the components of a wire,
 * such as its reader, its queue and its event stream.
 */
export abstract class TransportController {
  /** Handler of the host for errors that do not belong to a request. */
  abstract onerror?: (error: Error) => void;

  /** Name of the server, for error messages. */
  readonly server: string | undefined;
  #protocolVersion: string | undefined;
  /** The time that this connection has used in the current turn of the event loop. */
  readonly budget = new TurnBudget();
  #intakes: Pick<Intake<never>, 'flush' | 'stop'>[] = [];
  /** Not in a `Set`, see `InFlight`. */
  #endTasks: (() => void)[] = [];
  /** Tasks for when a signal is aborted, by the signals that requests wait with. */
  readonly #abortTasks = new Map<EventTarget | null, Set<() => void>>();
  readonly #runAbortTasks = ({ target: signal }: Event): void => {
    const tasks = this.#abortTasks.get(signal) ?? [];
    this.#abortTasks.delete(signal);
    for (const task of tasks) task();
  };
  readonly #ignored: Record<string, number> = {};

  constructor(server: string | undefined) {
    this.server = server;
  }

  /** Call it with each parsed value that arrives. Invalid messages and unexpected responses are reported. */
  abstract receive(value: unknown): void;
  /** Call it when the wire has ended by itself or cannot continue. Open requests fail with `reason`. */
  abstract fail(reason: TransportError): void;
  /** Fails one request that cannot be answered. Returns false if it is not in flight. */
  abstract failRequest(id: RequestId, error: FittingsError): boolean;
  /** Returns whether the request is in flight and its response has not arrived yet. */
  abstract isPending(id: RequestId): boolean;
  /**
   * Marks a request that waits before it is sent, for example for credentials. If the connection ends or the caller aborts before
   * {@link markSent}, the request fails with the delivery `not-sent`. Drop it when {@link isPending} is false by then.
   */
  abstract markUnsent(id: RequestId): void;
  /** Marks a request as about to be sent. */
  abstract markSent(id: RequestId): void;
  /** True if the connection has ended, for any reason. */
  abstract readonly ended: boolean;
  /** Returns the error for a message that cannot be delivered because the connection has ended. */
  abstract lost(delivery: Delivery): TransportError;

  /** Runs `task` when the connection ends, just before `shutDown()`, or at once if it has ended. The result cancels it. */
  onEnd(task: () => void): () => void {
    if (this.ended) {
      task();
      return () => undefined;
    }
    this.#endTasks.push(task);
    return () => {
      const index = this.#endTasks.indexOf(task);
      if (index !== -1) this.#endTasks.splice(index, 1);
    };
  }

  /** Negotiated protocol revision, once it is known. */
  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  /** {@inheritDoc @mcp-fittings/client-core#Transport.setProtocolVersion} */
  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  /** {@inheritDoc @mcp-fittings/client-core#Transport.limitUnsolicited} */
  limitUnsolicited(share: number): void {
    this.budget.limitUnsolicited(share);
  }

  /**
   * Marks the input that is being handled as unsolicited, see `Transport.limitUnsolicited`. Messages passed to {@link receive},
   * and what is reported with {@link reportCounted}, are marked already.
   */
  markUnsolicited(): void {
    this.budget.settle('unsolicited');
  }

  /**
   * Creates a queue for what has arrived and is not parsed yet. `take` handles one item: at once while this connection has used
   * little of the current turn of the event loop, and in later turns otherwise; a long text waits for a turn of its own. Stop reading
   * while the queue is `busy`. Waiting items are handled when the wire fails, and dropped by `close()`. All queues of a transport share
   * one budget.
   */
  intake<T>(take: (item: T) => void): Intake<T> {
    const estimateMs = (item: T): number => (typeof item === 'string' ? item.length / BYTES_PER_MS : 0);
    const intake = new Intake(this.budget, take, estimateMs);
    this.#intakes.push(intake);
    return intake;
  }

  /**
   * Runs `task` when the signal of a request is aborted. The result cancels it. The transport adds one listener to a signal,
   * however many requests share it, and removes it when they are done.
   */
  onAbort(signal: AbortSignal, task: () => void): () => void {
    const tasks = this.#abortTasks.get(signal) ?? new Set();
    this.#abortTasks.set(signal, tasks.add(task));
    // The same function each time, which a signal adds only once.
    signal.addEventListener('abort', this.#runAbortTasks, { once: true });
    return () => {
      tasks.delete(task);
      if (tasks.size > 0) return;
      this.#abortTasks.delete(signal);
      signal.removeEventListener('abort', this.#runAbortTasks);
    };
  }

  /** Calls a function of the host. What it throws, or rejects with, is reported as `CALLBACK_FAILED`. */
  guard(callback: () => unknown, what = 'A function that the host supplied'): void {
    callSafely(callback, (cause) => this.report(this.error('CALLBACK_FAILED', `${what} threw.`, { cause })));
  }

  /** Reports an error to `onerror`. The connection stays open. */
  report(error: Error): void {
    if (error instanceof FittingsError) nameServer(error, this.server);
    // An error of the error handler has nowhere to go.
    callSafely(
      () => this.onerror?.(error),
      () => undefined,
    );
  }

  /** Reports the first, tenth, hundredth … occurrence of what a peer can send endlessly. */
  reportCounted(code: ErrorCode, describe: () => string): void {
    this.markUnsolicited();
    const times = (this.#ignored[code] ?? 0) + 1;
    this.#ignored[code] = times;
    if (!Number.isInteger(Math.log10(times))) return;
    const message = times === 1 ? describe() : `${describe()} (${times} times so far)`;
    this.report(this.error(code, message, { details: { times } }));
  }

  /** Creates an error that names the server. */
  error(code: ErrorCode, message: string, options: FittingsErrorOptions = {}): TransportError {
    return new TransportError(code, message, { server: this.server, ...options });
  }

  /** Creates the error for a request whose `requestSignal` was aborted. */
  aborted(signal: AbortSignal, delivery: Delivery): TransportError {
    return this.error('ABORTED', 'The request was aborted by the caller.', {
      cause: signal.reason,
      delivery,
    });
  }

  /** Converts what was thrown to a `TransportError`, with the code `fallback` if the error itself suggests none. */
  asTransportError(cause: unknown, fallback: ErrorCode, delivery?: Delivery): TransportError {
    if (cause instanceof TransportError) return nameServer(cause, this.server);
    const text = cause instanceof Error ? cause.message : String(cause);
    return this.error(classifySystemError(cause) ?? fallback, sanitizeText(text), { cause, delivery });
  }

  /** Returns the message as JSON. Throws `MESSAGE_UNSERIALIZABLE` with the delivery `not-sent`. */
  encode(message: JSONRPCMessage): string {
    let cause: unknown;
    try {
      // Not always a string, contrary to its type: a `toJSON` may return undefined.
      const text: unknown = JSON.stringify(message);
      if (typeof text === 'string') return text;
    } catch (error) {
      cause = error;
    }
    throw this.error('MESSAGE_UNSERIALIZABLE', 'The message cannot be written as JSON.', {
      cause,
      delivery: 'not-sent',
    });
  }

  /** Number of ignored inputs, by error code. */
  protected get ignored(): Readonly<Record<string, number>> {
    return this.#ignored;
  }

  /** Handles all waiting items at once, because the wire has failed. */
  protected flushIntakes(): void {
    for (const intake of this.#intakes) intake.flush();
  }

  /** Runs what was registered with {@link onEnd}. */
  protected runEndTasks(): void {
    for (const task of this.#endTasks.slice()) task();
    this.#endTasks = [];
  }

  /** Drops all waiting items, and all later ones. */
  protected stopIntakes(): void {
    for (const intake of this.#intakes.splice(0)) intake.stop();
    this.budget.close();
  }
}

/** Runs a function of the host and passes what it throws, or rejects with, to `failed`. */
export function callSafely(work: () => unknown, failed: (cause: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(failed);
  } catch (cause) {
    failed(cause);
  }
}

/** Sets the server of an error that does not name one, and returns the error. */
export function nameServer<E extends FittingsError>(error: E, server: string | undefined): E {
  return server === undefined || error.server !== undefined ? error : Object.assign(error, { server });
}

/** Returns whether another component threw it deliberately, like the `AuthRequiredError` of a provider: the caller gets it unchanged. */
export function isForeignError(cause: unknown): cause is FittingsError {
  return cause instanceof FittingsError && !(cause instanceof TransportError);
}
