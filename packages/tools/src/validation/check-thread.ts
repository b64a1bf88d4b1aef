import { Worker } from 'node:worker_threads';
import { FittingsError, isRecord, type Clock } from '@mcp-fittings/client-core';
import type { ZodIssue } from './schema-issues.js';

/** The budget of a {@link CheckThread}. */
export interface CheckThreadOptions {
  readonly clock: Clock;
  /** Maximum time of one check, in milliseconds. */
  readonly budgetMs: number;
}

/** A worker thread that checks one value after the other and is terminated when a check takes too long. */
export interface CheckThread extends AsyncDisposable {
  /** Rejects with `TIMEOUT` if a check exceeds the budget, in time or in memory. */
  check(schema: JsonSchema, value: unknown): Promise<readonly ZodIssue[]>;
}

/** The argument of `z.fromJSONSchema` in the worker thread. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Creates the error of a check that exceeded the budget, or that Zod could not finish. */
export function notChecked(cause: unknown): FittingsError {
  return new FittingsError(
    'TIMEOUT',
    'Checking the value against its schema exceeded the time or memory budget.',
    {
      cause,
      delivery: 'not-sent',
      // The schema is at fault.
      kind: 'protocol',
      retryable: false,
      hint: 'The schema is too costly for this value. Use shorter or fewer values.',
    },
  );
}

/** Loading Zod in a new thread takes about 100 ms, and longer on a busy machine. */
const START_MS = 30_000;
const MEMORY_MB = 128;

export function createCheckThread(options: CheckThreadOptions): CheckThread {
  return new StoppableThread(options);
}

class StoppableThread implements CheckThread {
  readonly #clock: Clock;
  readonly #budgetMs: number;
  #worker: Worker | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #disposed = false;

  constructor({ clock, budgetMs }: CheckThreadOptions) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
  }

  check(schema: JsonSchema, value: unknown): Promise<readonly ZodIssue[]> {
    const turn = this.#queue.then(() => this.#checkNow(schema, value));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #checkNow(schema: JsonSchema, value: unknown): Promise<readonly ZodIssue[]> {
    const worker = await this.#running();
    worker.ref();
    try {
      const job = { schema, value: JSON.stringify(value) };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this rule is for browser windows
      const answer = await this.#answer(worker, this.#budgetMs, () => worker.postMessage(job));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- worker.js sends this
      return answer['issues'] as readonly ZodIssue[];
    } finally {
      // An idle thread does not keep the process alive.
      this.#worker?.unref();
    }
  }

  async #running(): Promise<Worker> {
    if (this.#disposed)
      throw new FittingsError('ABORTED', 'The schema checker was closed before the check started.');
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // Errors of a thread that is being terminated are ignored. A pending check has a listener of its own.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    await this.#answer(worker, START_MS, () => undefined);
    return worker;
  }

  /** Waits for the next message. Rejects if the thread exits, or terminates it when the time is up. */
  async #answer(worker: Worker, ms: number, ask: () => void): Promise<Record<string, unknown>> {
    const { promise, resolve, reject } = withResolvers<Record<string, unknown>>();
    const giveUp = (cause: unknown): void => {
      this.#worker = undefined;
      reject(notChecked(cause));
      void worker.terminate();
    };
    const onMessage = (message: unknown): void => (isRecord(message) ? resolve(message) : giveUp(message));
    const onExit = (code: number): void => giveUp(new Error(`The worker thread exited with code ${code}.`));
    worker.on('message', onMessage).on('error', giveUp).on('exit', onExit);
    const timer = this.#clock.schedule(
      () => giveUp(new Error(`The worker thread did not answer within ${ms} ms.`)),
      ms,
    );
    try {
      ask();
      return await promise;
    } finally {
      timer[Symbol.dispose]();
      worker.off('message', onMessage).off('error', giveUp).off('exit', onExit);
    }
  }
}

function withResolvers<Value>(): {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (reason: unknown) => void;
} {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<Value>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}
