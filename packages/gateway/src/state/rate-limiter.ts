import {
  type Admission,
  type Clock,
  FittingsError,
  type Logger,
  type SharedLimit,
  type SharedState,
} from '@mcp-fittings/client-core';
import { principalKey, type Caller } from '../contracts/caller.js';
import type { GatewayOptions } from '../contracts/gateway-options.js';
import { RecentValues } from './recent-values.js';
import { createMemoryState } from './memory-state.js';

export type RateLimit = NonNullable<GatewayOptions['rateLimits']>[number];

/** Options of {@link RateLimiter}. */
export interface RateLimiterOptions {
  readonly limits: readonly RateLimit[];
  /** Counts the requests. */
  readonly state: SharedState;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** After a failure, how long this replica counts by itself, so that not every request waits for a state that is away. */
const RETRY_MS = 1000;

/** Callers and servers whose refusals are remembered. */
const MAX_REFUSED = 10_000;

/** Counts the requests that the gateway passes on. */
export class RateLimiter {
  /** Numbers since the start, for metrics. */
  readonly counts = { refused: 0, local: 0 };
  readonly #options: RateLimiterOptions;
  readonly #local: SharedState;
  /** The time at which a principal can call a server again: no request before then changes that. */
  readonly #exhausted: RecentValues<number>;
  #retryAt: number | undefined;

  /** Throws `CONFIG_INVALID` for a limit without a number of requests or an interval. */
  constructor(options: RateLimiterOptions) {
    for (const limit of options.limits) validate(limit);
    this.#options = options;
    this.#local = createMemoryState({ clock: options.clock });
    this.#exhausted = new RecentValues(MAX_REFUSED, options.clock);
  }

  /**
   * Counts a request. Rejects with `RATE_LIMITED` (`delivery: 'not-sent'`, `details.retryAfterMs`) if a limit is exhausted; the request
   * then counts against no limit. While the shared state cannot be reached, this replica counts by itself.
   */
  async admit(caller: Caller, server: string): Promise<void> {
    const { limits, clock } = this.#options;
    const key = JSON.stringify([principalKey(caller), server]);
    const until = this.#exhausted.get(key);
    if (until !== undefined) throw this.#refuse(server, Math.ceil(until - clock.now()));
    const admission = await this.#count(limits.map((limit) => sharedLimit(limit, caller, server)));
    if (admission.admitted) return;
    const { retryAfterMs } = admission;
    const again = clock.now() + retryAfterMs;
    // What this replica has counted by itself says nothing about the shared state.
    if (this.#retryAt === undefined) this.#exhausted.set(key, again, again);
    throw this.#refuse(server, retryAfterMs);
  }

  async #count(wanted: readonly SharedLimit[]): Promise<Admission> {
    const { state, clock, logger } = this.#options;
    if (this.#retryAt === undefined || clock.now() >= this.#retryAt) {
      // Of all requests, one finds out whether the state is back.
      if (this.#retryAt !== undefined) this.#retryAt = clock.now() + RETRY_MS;
      try {
        const admission = await state.admit(wanted);
        if (this.#retryAt !== undefined)
          logger?.info('Rate limits are counted for all replicas together again.');
        this.#retryAt = undefined;
        return admission;
      } catch (error) {
        const text = 'Rate limits are counted by this replica alone: the shared state cannot be reached.';
        if (this.#retryAt === undefined) logger?.warn(text, { error: String(error) });
        this.#retryAt = clock.now() + RETRY_MS;
      }
    }
    this.counts.local++;
    return this.#local.admit(wanted);
  }

  #refuse(server: string, retryAfterMs: number): FittingsError {
    this.counts.refused++;
    return new FittingsError('RATE_LIMITED', `Too many requests to the server "${server}".`, {
      server,
      delivery: 'not-sent',
      hint: `Retry in ${Math.ceil(retryAfterMs / 1000)} s.`,
      details: { retryAfterMs },
    });
  }
}

function sharedLimit({ per, requests, intervalMs }: RateLimit, caller: Caller, server: string): SharedLimit {
  const who = principalKey(caller);
  const names = { principal: [who], server: [server], 'principal+server': [who, server] }[per];
  // The numbers are part of the key: after a change of the configuration, counters begin anew.
  return { key: JSON.stringify(['rate', per, requests, intervalMs, ...names]), requests, intervalMs };
}

function validate({ requests, intervalMs }: RateLimit): void {
  if (requests >= 1 && Number.isFinite(requests) && intervalMs > 0 && Number.isFinite(intervalMs)) return;
  throw new FittingsError(
    'CONFIG_INVALID',
    'A rate limit needs at least 1 request and an interval of more than 0 ms.',
    {
      hint: "For example { per: 'principal', requests: 100, intervalMs: 60_000 }.",
    },
  );
}
