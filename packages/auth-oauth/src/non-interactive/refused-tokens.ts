import type { Clock, FittingsError } from '@mcp-fittings/client-core';
import { hashText } from '@mcp-fittings/toolbox/text';
import { isRecent } from '@mcp-fittings/toolbox/timing';

/** As long as this, in milliseconds, a refused token is not sent again. */
const PAUSE_MS = 30_000;
const MAX_TOKENS = 16;

/** Remembers which tokens of a person were refused lately, and why, so that each call does not send them again. */
export class RefusedTokens {
  readonly #clock: Clock;
  readonly #refused = new Map<string, { readonly error: FittingsError; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(token: string, error: FittingsError): void {
    const key = hashText(token);
    this.#refused.delete(key);
    this.#refused.set(key, { error, at: this.#clock.now() });
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= MAX_TOKENS) break;
      this.#refused.delete(oldest);
    }
  }

  /** Returns the error of a token that was refused lately. */
  find(token: string): FittingsError | undefined {
    const found = this.#refused.get(hashText(token));
    return found && isRecent(found.at, PAUSE_MS, this.#clock.now()) ? found.error : undefined;
  }

  /** Returns whether it is the error of a remembered token. */
  has(error: unknown): boolean {
    return Array.from(this.#refused.values()).some((refused) => refused.error === error);
  }
}
