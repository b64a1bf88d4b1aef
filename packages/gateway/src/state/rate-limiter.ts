import {
  type Clock,
  FittingsError,
  type Logger,
  type SharedLimit,
  type SharedState,
} from '@mcp-fittings/client-core';
import { principalKey, type Caller } from '../contracts/caller.js';
import type { GatewayLoad } from '../contracts/gateway.js';
import type { GatewayOptions } from '../contracts/gateway-options.js';
import { createRecentValues } from '../access/recent-values.js';
import { createMemoryState } from './memory-state.js';

/** How many requests may reach servers. */
export type RateLimit = NonNullable<GatewayOptions['rateLimits']>[number];

/** Options of {@link createRateLimiter}. */
export interface RateLimiterOptions {
  readonly limits: readonly RateLimit[];
  /** Where requests are counted. */
  readonly state: SharedState;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** Counts the requests that the gateway passes on. */
export interface RateLimiter {
  /**
   * Counts a request. Rejects with `RATE_LIMITED` (`delivery: 'not-sent'`, `details.retryAfterMs`) if a limit is exhausted; the request
   * then counts against no limit. While the shared state cannot be reached, this replica counts by itself.
   */
  admit(caller: Caller, server: string): Promise<void>;
  /**
   * Returns the error with which `admit` rejects now, if that is known from an earlier refusal. `find` returns the server of the request; it
   * is called only for a caller who was refused.
   */
  refusal(caller: Caller, find: () => string | undefined): FittingsError | undefined;
  /** What the limiter has done, for metrics. */
  readonly counts: NonNullable<GatewayLoad['rateLimits']>;
}

/** After a failure, how long this replica counts by itself, so that not every request waits for a state that is away. */
const RETRY_MS = 1000;

/** People whose refusals are remembered. */
const MAX_REFUSED = 10_000;

/** Creates the limiter. Throws `CONFIG_INVALID` for a limit without a number of requests or an interval. */
export function createRateLimiter({ limits, state, clock, logger }: RateLimiterOptions): RateLimiter {
  for (const limit of limits) validate(limit);
  const local = createMemoryState({ clock });
  const counts = { refused: 0, local: 0 };
  /** When a person can call each server again: no request before then changes that. */
  const exhausted = createRecentValues<Map<string, number>>(MAX_REFUSED, clock);
  let retryAt: number | undefined;

  const count = async (wanted: readonly SharedLimit[]) => {
    if (retryAt === undefined || clock.now() >= retryAt) {
      try {
        const admission = await state.admit(wanted);
        if (retryAt !== undefined) logger?.info('Rate limits are counted for all replicas together again.');
        retryAt = undefined;
        return admission;
      } catch (error) {
        const text = 'Rate limits are counted by this replica alone: the shared state cannot be reached.';
        if (retryAt === undefined) logger?.warn(text, { error: String(error) });
        retryAt = clock.now() + RETRY_MS;
      }
    }
    counts.local++;
    return local.admit(wanted);
  };

  const refuse = (server: string, retryAfterMs: number): FittingsError => {
    counts.refused++;
    return new FittingsError('RATE_LIMITED', `Too many requests to the server "${server}".`, {
      server,
      delivery: 'not-sent',
      hint: `Retry in ${Math.ceil(retryAfterMs / 1000)} s.`,
      details: { retryAfterMs },
    });
  };
  const remember = (caller: Caller, server: string, until: number): void => {
    const key = principalKey(caller);
    const servers = exhausted.get(key) ?? new Map<string, number>();
    servers.set(server, until);
    exhausted.set(key, servers, Math.max(...servers.values()));
  };
  const refusal: RateLimiter['refusal'] = (caller, find) => {
    const servers = limits.length === 0 ? undefined : exhausted.get(principalKey(caller));
    const server = servers && find();
    const leftMs = server === undefined ? 0 : (servers?.get(server) ?? 0) - clock.now();
    return server === undefined || leftMs <= 0 ? undefined : refuse(server, Math.ceil(leftMs));
  };

  return {
    counts,
    refusal,
    async admit(caller, server) {
      if (limits.length === 0) return;
      const known = refusal(caller, () => server);
      if (known !== undefined) throw known;
      const admission = await count(limits.map((limit) => sharedLimit(limit, caller, server)));
      if (admission.admitted) return;
      const { retryAfterMs } = admission;
      // What this replica has counted by itself says nothing about the shared state.
      if (retryAt === undefined) remember(caller, server, clock.now() + retryAfterMs);
      throw refuse(server, retryAfterMs);
    },
  };
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
