import type { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/toolbox/timing';

/** Work that several callers wait for. One that aborts leaves it to the others. */
export class SharedWork<T> {
  readonly #over = new AbortController();
  readonly #done: Promise<T>;
  #callers = 0;
  #isOver = false;

  /** Begins the work. Its controller is aborted when no caller waits for it any more. */
  constructor(work: (over: AbortController) => Promise<T>) {
    this.#done = work(this.#over).finally(() => {
      this.#isOver = true;
    });
  }

  /** True if it has ended, or if no caller waits for it any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Settles as the work does, or rejects with `error` as soon as `signal` is aborted. */
  async join(signal: AbortSignal | undefined, error: () => FittingsError): Promise<T> {
    this.#callers++;
    try {
      return await abortable(this.#done, signal, error);
    } finally {
      if (--this.#callers === 0 && !this.#isOver) {
        this.#isOver = true;
        this.#over.abort();
      }
    }
  }
}
