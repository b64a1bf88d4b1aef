import type { Clock, FittingsError } from '@mcp-fittings/client-core';

/** Authorization servers that failed recently, so that a list of dead ones is not asked again at every refusal. */
export interface FailedIssuers {
  /** Returns why an issuer failed; undefined if it may be asked. */
  get(issuer: string): FittingsError | undefined;
  /** Remembers a failure: for five seconds if it is temporary, else for a minute. */
  add(issuer: string, failure: FittingsError): void;
  /** Forgets all failures. */
  clear(): void;
}

/** For missing or unacceptable metadata. */
const LASTING_MS = 60_000;
/** For an issuer that did not answer. */
const TEMPORARY_MS = 5_000;
const MAX_KEPT = 300;

export function createFailedIssuers(clock: Clock): FailedIssuers {
  const failures = new Map<string, { readonly until: number; readonly failure: FittingsError }>();
  return {
    get(issuer) {
      const found = failures.get(issuer);
      if (found === undefined) return undefined;
      const left = found.until - clock.now();
      // More time is left than possible if the clock was set back.
      if (left > 0 && left <= LASTING_MS) return found.failure;
      failures.delete(issuer);
      return undefined;
    },
    add(issuer, failure) {
      const ms = failure.kind === 'network-temporary' ? TEMPORARY_MS : LASTING_MS;
      failures.delete(issuer);
      failures.set(issuer, { until: clock.now() + ms, failure });
      const [oldest] = failures.keys();
      if (failures.size > MAX_KEPT && oldest !== undefined) failures.delete(oldest);
    },
    clear() {
      failures.clear();
    },
  };
}
