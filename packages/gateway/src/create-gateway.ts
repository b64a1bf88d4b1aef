import type { SharedState } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/client-core/timing';
import type { Host } from '@mcp-fittings/host';
import { createExposure } from './catalog/exposure.js';
import type { FrontDoorOptions, Gateway } from './contracts/gateway.js';
import { createFrontDoors } from './front-doors.js';
import { createRateLimiter, type RateLimit } from './limits/rate-limiter.js';
import { createMemoryState } from './state/memory-state.js';
import { createReplicaLink } from './state/replica-link.js';
import { createSharedSessions } from './state/shared-sessions.js';
import { createSurface } from './surface/create-surface.js';
import type { SurfaceOptions } from './surface/surface-options.js';

/** Options of {@link createGateway}: what is served, and to whom. */
export interface GatewayOptions
  extends Omit<SurfaceOptions, 'host' | 'admit' | 'replicas'>, FrontDoorOptions {
  /**
   * What the replicas of a gateway share: sessions, messages to each other, and counters of {@link rateLimits}. `redisSharedState()` of
   * `@mcp-fittings/store-redis` is one. Default: this gateway is the only replica.
   */
  readonly state?: SharedState | undefined;
  /** How many requests may reach servers; all of these limits hold. Default: any number. */
  readonly rateLimits?: readonly RateLimit[] | undefined;
}

/**
 * Serves the servers of a host as one MCP server: all of them at `/mcp`, with names such as `github__create_issue`, and each at
 * `/mcp/{server}` under its own names. Does not close the host. Throws `CONFIG_INVALID`.
 *
 * @example
 * ```ts
 * const callbacks = createCallbackRouter();
 * const host = createHost({ engine, transports, callbacks: callbacks.hostCallbacks });
 * await host.connect(entries);
 * const gateway = createGateway(host, { callbacks, access });
 * await gateway.listen({ port: 8080 });
 * ```
 */
export function createGateway(host: Host, options: GatewayOptions = {}): Gateway {
  const { state, rateLimits = [], clock = systemClock, logger } = options;
  const exposure = createExposure({ host, ...options });
  const limiter = createRateLimiter({
    limits: rateLimits,
    state: state ?? createMemoryState({ clock }),
    clock,
    logger,
  });
  const replicas = state && createReplicaLink({ state, clock, logger });
  const admit = rateLimits.length === 0 ? undefined : limiter.admit;
  const surface = createSurface({ ...options, host, replicas, admit });
  const store = options.sessions?.store ?? (state && replicas && createSharedSessions(state, replicas));
  const gateway = createFrontDoors(
    surface,
    (caller, mount) => mount.server === undefined || exposure.hasServer({ caller, mount }, mount.server),
    { ...options, sessions: { ...options.sessions, store } },
  );
  const close = async (): Promise<void> => {
    await gateway.close();
    await replicas?.close();
  };
  return {
    ...gateway,
    load: () => ({ ...gateway.load(), rateLimits: limiter.counts }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
