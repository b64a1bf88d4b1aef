import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { Caller } from './contracts/caller.js';
import type { GatewayOptions } from './contracts/gateway-options.js';
import type { ReplicaLink } from './contracts/replica-link.js';
import type { SessionStore } from './contracts/session-store.js';
import { RateLimiter } from './state/rate-limiter.js';
import { createMemoryState } from './state/memory-state.js';
import { createReplicaLink } from './state/replica-link.js';
import { createSharedSessions } from './state/shared-sessions.js';

/** This replica among the others. */
export interface Fleet {
  /** Counts a request against the rate limits; absent without limits. */
  readonly admit: ((caller: Caller, server: string) => Promise<void>) | undefined;
  /** Returns why a request is refused, if that is known; absent without limits. */
  readonly refusal: RateLimiter['refusal'] | undefined;
  readonly replicas: ReplicaLink | undefined;
  readonly sessions: SessionStore | undefined;
  readonly counts: RateLimiter['counts'];
  /** Leaves the replicas. */
  close(): Promise<void>;
}

/** Joins the replicas. Throws `CONFIG_INVALID` for an invalid rate limit. */
export function joinFleet(options: Pick<GatewayOptions, 'state' | 'rateLimits' | 'clock' | 'logger'>): Fleet {
  const { state, rateLimits: limits = [], clock = systemClock, logger } = options;
  const limiter = new RateLimiter({ limits, state: state ?? createMemoryState({ clock }), clock, logger });
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
