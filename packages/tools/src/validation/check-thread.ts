import { Worker } from 'node:worker_threads';
import { FittingsError, isRecord, type Clock } from '@mcp-fittings/client-core';
import type { SimpleSchema } from '../schema-to-zod/simple-schema.js';
import type { RawIssue } from './raw-issue.js';

export interface CheckThreadOptions {
  readonly clock: Clock;
  /** For one check, milliseconds. */
  readonly budgetMs: number;
}

/** A thread that checks one value after the other and is ended when a check takes too long. */
export interface CheckThread extends AsyncDisposable {
  /** Rejects with `TIMEOUT` when the budget does not suffice, in time or in memory. */
  check(schema: SimpleSchema, value: unknown): Promise<readonly RawIssue[]>;
}

/** The budget did not suffice, or Zod met something that it can't deal with. */
export function notChecked(cause: unknown): FittingsError {
  return new FittingsError(
    'TIMEOUT',
    'The value could not be checked against the schema within the budget.',
    {
      cause,
      delivery: 'not-sent',
      // Whose fault it is: the schema's.
      kind: 'protocol',
      retryable: false,
      hint: 'The schema is too costly for this value; use shorter or fewer values.',
    },
  );
}

/** Loading Zod in a new thread takes about a tenth of a second; a machine may be busy. */
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

  check(schema: SimpleSchema, value: unknown): Promise<readonly RawIssue[]> {
    const turn = this.#queue.then(() => this.#checkNow(schema, value));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #checkNow(schema: SimpleSchema, value: unknown): Promise<readonly RawIssue[]> {
    const worker = await this.#running();
    worker.ref();
    try {
      const job = { schema, value: JSON.stringify(value) };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows of a browser
      const answer = await this.#answer(worker, this.#budgetMs, () => worker.postMessage(job));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what worker.js sends; it is ours
      return answer['issues'] as readonly RawIssue[];
    } finally {
      // An idle thread does not keep the process alive.
      this.#worker?.unref();
    }
  }

  async #running(): Promise<Worker> {
    if (this.#disposed) throw new FittingsError('ABORTED', 'The checker of schemas was closed.');
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // What a thread that is being ended still throws concerns nobody; whoever waits for it listens too.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    await this.#answer(worker, START_MS, () => undefined);
    return worker;
  }

  /** The next message of the thread, or its end: by itself, or by us when the time is over. */
  async #answer(worker: Worker, ms: number, ask: () => void): Promise<Record<string, unknown>> {
    const { promise, resolve, reject } = withResolvers<Record<string, unknown>>();
    const giveUp = (cause: unknown): void => {
      this.#worker = undefined;
      reject(notChecked(cause));
      void worker.terminate();
    };
    const onMessage = (message: unknown): void => (isRecord(message) ? resolve(message) : giveUp(message));
    const onExit = (code: number): void => giveUp(new Error(`The thread ended with code ${code}.`));
    worker.on('message', onMessage).on('error', giveUp).on('exit', onExit);
    const timer = this.#clock.schedule(() => giveUp(new Error(`${ms} ms passed.`)), ms);
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
