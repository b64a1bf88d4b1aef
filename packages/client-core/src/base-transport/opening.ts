import { systemClock } from '../timing.js';

/** An `open()` that ignores its signal holds up `close()` for this long, milliseconds. */
const SETTLES_WITHIN_MS = 1000;

/** One call of `open()`, from when it is made until it has settled. */
export class Opening {
  readonly #controller = new AbortController();
  #settled: Promise<void> | undefined;

  /** Aborted when the connection has ended before it was open. */
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
   * Runs `free` once `open()` has settled, because what it made after the wire was shut down is still there. Resolves
   * when that is done, or after a second; `free` runs then too, when its time comes.
   */
  async freeWhenSettled(free: () => Promise<void>): Promise<void> {
    if (this.#settled === undefined) return;
    const freed = this.#settled.then(free);
    await new Promise<void>((resolve) => {
      const timer = systemClock.schedule(resolve, SETTLES_WITHIN_MS, { unref: true });
      void freed.then(() => {
        timer[Symbol.dispose]();
        resolve();
      });
    });
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }
}
