import { sleep } from '../timing/waits.js';

/** Milliseconds that `close()` waits for an `open()` that ignores its signal. */
const SETTLES_WITHIN_MS = 1000;

/** Runs one call of `open()` until it has settled. */
export class Opening {
  readonly #controller = new AbortController();
  #settled: Promise<void> | undefined;

  /** Aborted if the connection ends before it is open. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async run(open: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const opened = open(this.signal);
    this.#settled = opened.then(
      () => undefined,
      () => undefined,
    );
    await opened;
  }

  /**
   * Runs `free` once `open()` has settled, to free what it created after the wire was shut down. Resolves when that is done, or
   * after a second; `free` still runs later then.
   */
  async freeWhenSettled(free: () => Promise<void>): Promise<void> {
    if (this.#settled === undefined) return;
    await Promise.race([this.#settled.then(free), sleep(SETTLES_WITHIN_MS, { unref: true })]);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }
}
