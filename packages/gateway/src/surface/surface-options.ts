import type { Host } from '@mcp-fittings/host';
import type { GatewayOptions } from '../contracts/gateway-options.js';
import type { RateLimiter } from '../state/rate-limiter.js';
import type { ReplicaLink } from '../state/replica-link.js';

/** Options of {@link createSurface}: those of the gateway about what is served, and what joins it with other replicas. */
export interface SurfaceOptions extends GatewayOptions {
  /** The servers. Its callbacks should be those of {@link GatewayOptions.callbacks}. */
  readonly host: Host;
  /** Asked before each request is passed on, which fails if it rejects. Default: none is refused. */
  readonly limiter?: Pick<RateLimiter, 'admit'> | undefined;
  /** The other replicas, one of which may hold the call that a client continues here. Default: there are none. */
  readonly replicas?: ReplicaLink | undefined;
}

/** {@link GatewayOptions.limits}, all of them. */
export type SurfaceLimits = {
  readonly [Limit in keyof NonNullable<GatewayOptions['limits']>]-?: number;
};

/** Default of each member of {@link SurfaceLimits}. */
export const DEFAULT_LIMITS: SurfaceLimits = {
  listMs: 10_000,
  handshakeMs: 3000,
  answerMs: 600_000,
  heldCalls: 1000,
  heldCallsPerCaller: 32,
  subscriptions: 1000,
};
