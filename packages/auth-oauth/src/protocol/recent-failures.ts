import type { Clock, FittingsError } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { isRecent } from '@mcp-fittings/toolbox/timing';

/** Remembers what failed lately and why, such as a request to an authorization server, so that it is not tried again at every call. */
export class RecentFailures {
  readonly #clock: Clock;
  readonly #failures: RecentMap<
    string,
    { readonly failure: FittingsError; readonly at: number; readonly ms: number }
  >;

  /** Of more than `maxKept`, the oldest ones are forgotten. */
  constructor(clock: Clock, maxKept = 300) {
    this.#clock = clock;
    this.#failures = new RecentMap(maxKept);
  }

  /** Returns why it failed; undefined if it may be tried. */
  get(key: string): FittingsError | undefined {
    const found = this.#failures.get(key);
    return found && isRecent(found.at, found.ms, this.#clock.now()) ? found.failure : undefined;
  }

  /** Remembers a failure for some milliseconds. */
  add(key: string, failure: FittingsError, ms: number): void {
    this.#failures.set(key, { failure, at: this.#clock.now(), ms });
  }

  /** Returns whether it is one of the failures. */
  has(error: unknown): boolean {
    return Array.from(this.#failures.values()).some(({ failure }) => failure === error);
  }

  /** Forgets all failures. */
  clear(): void {
    this.#failures.clear();
  }
}
