import type { Clock, FittingsError } from '@mcp-fittings/client-core';

/** For missing or unacceptable metadata. */
const LASTING_MS = 60_000;
/** For an issuer that did not answer. */
const TEMPORARY_MS = 5_000;
const MAX_KEPT = 300;

/** Remembers authorization servers that failed recently, so that a list of dead ones is not asked again at every refusal. */
export class FailedIssuers {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { readonly until: number; readonly failure: FittingsError }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns why an issuer failed; undefined if it may be asked. */
  get(issuer: string): FittingsError | undefined {
    const found = this.#failures.get(issuer);
    if (found === undefined) return undefined;
    const left = found.until - this.#clock.now();
    // More time is left than possible if the clock was set back.
    if (left > 0 && left <= LASTING_MS) return found.failure;
    this.#failures.delete(issuer);
    return undefined;
  }

  /** Remembers a failure: for five seconds if it is temporary, else for a minute. */
  add(issuer: string, failure: FittingsError): void {
    const ms = failure.kind === 'network-temporary' ? TEMPORARY_MS : LASTING_MS;
    this.#failures.delete(issuer);
    this.#failures.set(issuer, { until: this.#clock.now() + ms, failure });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_KEPT && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** Forgets all failures. */
  clear(): void {
    this.#failures.clear();
  }
}
