import type { Clock, FittingsError } from '@mcp-fittings/client-core';

/** Which authorization servers could not be used lately, so that a list of dead ones is not asked anew by every refusal. */
export interface FailedIssuers {
  /** Why it could not be used; undefined when it may be asked. */
  get(issuer: string): FittingsError | undefined;
  add(issuer: string, failure: FittingsError): void;
  /** A person has asked for a sign-in: what is remembered does not count. */
  clear(): void;
}

/** There is no metadata, or it is not acceptable. */
const LASTING_MS = 60_000;
/** It did not answer. */
const PASSING_MS = 5_000;
const MAX_KEPT = 300;

export function createFailedIssuers(clock: Clock): FailedIssuers {
  const failures = new Map<string, { readonly until: number; readonly failure: FittingsError }>();
  return {
    get(issuer) {
      const found = failures.get(issuer);
      if (found === undefined) return undefined;
      const left = found.until - clock.now();
      // More is left than there can be after a clock was set back.
      if (left > 0 && left <= LASTING_MS) return found.failure;
      failures.delete(issuer);
      return undefined;
    },
    add(issuer, failure) {
      const ms = failure.kind === 'network-temporary' ? PASSING_MS : LASTING_MS;
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
