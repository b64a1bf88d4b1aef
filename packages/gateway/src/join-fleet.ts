import type { Clock, Logger, SharedState } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { Caller } from './contracts/caller.js';
import type { RateLimiterCounts } from './contracts/gateway.js';
import type { ReplicaLink } from './contracts/replica-link.js';
import type { SessionStore } from './contracts/session-store.js';
import { createRateLimiter, type RateLimit, type RateLimiter } from './state/rate-limiter.js';
import { createMemoryState } from './state/memory-state.js';
import { createReplicaLink } from './state/replica-link.js';
import { createSharedSessions } from './state/shared-sessions.js';

/** Options of a gateway about its replicas. */
export interface FleetOptions {
  /**
   * What the replicas of a gateway share: sessions, messages to each other, and counters of {@link rateLimits}. `redisSharedState()` of
   * `@mcp-fittings/store-redis` is one. Default: this gateway is the only replica.
   */
  readonly state?: SharedState | undefined;
  /** How many requests may reach servers; all of these limits hold. Default: any number. */
  readonly rateLimits?: readonly RateLimit[] | undefined;
}

/** This replica among the others. */
export interface Fleet {
  /** Counts a request against the rate limits; absent without limits. */
  readonly admit: ((caller: Caller, server: string) => Promise<void>) | undefined;
  /** Returns why a request is refused, if that is known; absent without limits. */
  readonly refusal: RateLimiter['refusal'] | undefined;
  readonly replicas: ReplicaLink | undefined;
  readonly sessions: SessionStore | undefined;
  readonly counts: RateLimiterCounts;
  /** Leaves the replicas. */
  close(): Promise<void>;
}

/** Joins the replicas. Throws `CONFIG_INVALID` for an invalid rate limit. */
export function joinFleet(
  options: FleetOptions & { readonly clock?: Clock | undefined; readonly logger?: Logger | undefined },
): Fleet {
  const { state, rateLimits: limits = [], clock = systemClock, logger } = options;
  const limiter = createRateLimiter({ limits, state: state ?? createMemoryState({ clock }), clock, logger });
  const replicas = state && createReplicaLink({ state, clock, logger });
  return {
    admit: limits.length === 0 ? undefined : (...request) => limiter.admit(...request),
    refusal: limits.length === 0 ? undefined : (...request) => limiter.refusal(...request),
    replicas,
    sessions: state && replicas && createSharedSessions(state, replicas),
    counts: limiter.counts,
    async close() {
      await replicas?.close();
    },
  };
}
