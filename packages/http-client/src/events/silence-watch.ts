import type { Clock } from '@mcp-fittings/client-core';

/** Detects that a connection has gone silent. It uses one timer, however much is received. Disposing it stops the timer. */
export class SilenceWatch implements Disposable {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onSilence: () => void;
  #last: number;
  #timer: Disposable | undefined;

  /**
   * Calls `onSilence` once, when nothing has been received for `ms` milliseconds; never if `ms` is 0. The timer does not keep the
   * process alive.
   */
  constructor(clock: Clock, ms: number, onSilence: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onSilence = onSilence;
    this.#last = clock.now();
    if (ms > 0) this.#listen(ms);
  }

  /** Call it when something is received. */
  heard(): void {
    if (this.#ms > 0) this.#last = this.#clock.now();
  }

  /** Stops the timer. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #listen(left: number): void {
    const look = (): void => {
      const rest = this.#last + this.#ms - this.#clock.now();
      if (rest > 0) this.#listen(rest);
      else this.#onSilence();
    };
    this.#timer = this.#clock.schedule(look, left, { unref: true });
  }
}
