import type { TransportController } from './transport-controller.js';
import type { TurnBudget } from './turn-budget.js';

/** A source of bytes that can be paused: a socket, the body of a response. */
export interface Pausable {
  /** Stops delivering bytes. */
  pause(): void;
  /** Continues to deliver bytes. */
  resume(): void;
}

/** Bytes that are parsed and handled in a millisecond, approximately. */
export const BYTES_PER_MS = 200_000;

/**
 * A source whose bytes are handled at once. With `Transport.limitUnsolicited`, it is paused while the peer has used up its share of the
 * time of a transport. Resume the source yourself when the transport ends.
 */
export class PacedSource {
  readonly #budget: TurnBudget;
  readonly #source: Pausable;
  #isPaused = false;

  constructor({ budget }: Pick<TransportController, 'budget'>, source: Pausable) {
    this.#budget = budget;
    this.#source = source;
  }

  /** Runs `handle` at once for so many bytes, and pauses the source if the share is used up. */
  read(bytes: number, handle: () => void): void {
    this.#budget.count(handle, bytes / BYTES_PER_MS);
    if (this.#isPaused || !this.#budget.isShareUsedUp) return;
    this.#isPaused = true;
    this.#source.pause();
    this.#budget.nextTurn(() => {
      this.#isPaused = false;
      this.#source.resume();
    });
  }
}
