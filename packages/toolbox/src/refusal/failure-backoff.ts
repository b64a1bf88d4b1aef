import type { Clock } from '@mcp-fittings/client-core';
import { isRecent } from '../timing/waits.js';

const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

/**
 * Remembers how the last attempt failed, such as the renewal of a token, so that frequent calls do not repeat it. The pause between
 * attempts grows from 2 s to 60 s.
 */
export class FailureBackoff<Outcome> {
  readonly #clock: Clock;
  #last:
    | {
        readonly token: string | undefined;
        readonly at: number;
        readonly ms: number;
        readonly answer: () => Promise<Outcome>;
      }
    | undefined;
  #inARow = 0;

  /** Creates a backoff that has no failures yet. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the remembered outcome while it is too early to try again, and `undefined` when it is time. Another `token` may be tried at once. */
  answer(token: string | undefined): Promise<Outcome> | undefined {
    const last = this.#last;
    return last !== undefined && last.token === token && isRecent(last.at, last.ms, this.#clock.now())
      ? last.answer()
      : undefined;
  }

  /** Records a failed attempt. `answer` produces the outcome for calls during the pause. */
  failed(token: string | undefined, answer: () => Promise<Outcome>): void {
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#inARow);
    this.#last = { token, at: this.#clock.now(), ms, answer };
    this.#inARow = Math.min(this.#inARow + 1, 10);
  }

  /** Forgets earlier failures. */
  succeeded(): void {
    this.#last = undefined;
    this.#inARow = 0;
  }
}
