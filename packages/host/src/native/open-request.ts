import type { Clock, JSONRPCObject, RequestId } from '@mcp-fittings/client-core';
import type { SendOptions } from './connection.js';

/** Gives a request up: its caller has aborted it, or a deadline has passed. */
type GiveUp = (reason: 'aborted' | 'timeout') => void;

/** A request that waits for its response, with its deadlines. One object, because each closure of a request costs. */
export class OpenRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly options: SendOptions;
  /** Settles with the response, or with why there will be none. */
  readonly result: Promise<JSONRPCObject>;
  // Both are set by the executor of the promise, which runs at once.
  resolve!: (result: JSONRPCObject) => void;
  reject!: (error: unknown) => void;
  /** Ends the request's own stream. */
  stream: AbortController | undefined;
  readonly #clock: Clock;
  #giveUp: GiveUp | undefined;
  #silence: Disposable | undefined;
  #total: Disposable | undefined;

  constructor(id: RequestId, method: string, options: SendOptions, clock: Clock) {
    this.id = id;
    this.method = method;
    this.options = options;
    this.#clock = clock;
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Name of the request in error messages. */
  get what(): string {
    return this.options.what ?? this.method;
  }

  /** Starts the deadlines, and listens to the signal of the caller. */
  start(giveUp: GiveUp): void {
    const { signal, maxTotalMs } = this.options;
    this.#giveUp = giveUp;
    this.restart();
    if (maxTotalMs !== undefined) this.#total = this.#clock.schedule(this.#onTimeout, maxTotalMs);
    signal?.addEventListener('abort', this, { once: true });
  }

  /** Restarts the deadline for silence. */
  restart(): void {
    const { timeoutMs } = this.options;
    if (timeoutMs === undefined) return;
    this.#silence?.[Symbol.dispose]();
    this.#silence = this.#clock.schedule(this.#onTimeout, timeoutMs);
  }

  /** Returns the signal that ends the request's own stream. */
  openStream(): AbortSignal {
    this.stream = new AbortController();
    return this.stream.signal;
  }

  /** The caller's signal is aborted. */
  handleEvent(): void {
    this.#giveUp?.('aborted');
  }

  /** Stops the deadlines. Call it when the request has settled. */
  stop(): void {
    this.#giveUp = undefined;
    this.#silence?.[Symbol.dispose]();
    this.#total?.[Symbol.dispose]();
    this.options.signal?.removeEventListener('abort', this);
  }

  readonly #onTimeout = (): void => this.#giveUp?.('timeout');
}
