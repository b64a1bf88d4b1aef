import type { Clock } from '@mcp-fittings/client-core';

/** Something that is to show now and then that it is alive. */
export interface Beating {
  /** Called once in each interval. */
  beat(): void;
}

/** Keeps responses open that have nothing to say for long: one timer for all. */
export class Heartbeat {
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #beating = new Set<Beating>();
  #isRunning = false;

  /** @param intervalMs - in milliseconds; 0 for never */
  constructor(intervalMs: number, clock: Clock) {
    this.#intervalMs = intervalMs;
    this.#clock = clock;
  }

  add(each: Beating): void {
    this.#beating.add(each);
    if (this.#intervalMs > 0 && !this.#isRunning) this.#schedule();
  }

  delete(each: Beating): void {
    this.#beating.delete(each);
  }

  #schedule(): void {
    this.#isRunning = true;
    this.#clock.schedule(() => this.#beat(), this.#intervalMs, { unref: true });
  }

  #beat(): void {
    for (const each of this.#beating) each.beat();
    this.#isRunning = false;
    if (this.#beating.size > 0) this.#schedule();
  }
}
