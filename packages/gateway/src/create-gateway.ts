import { guardLogger } from '@mcp-fittings/toolbox/logging';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { Host } from '@mcp-fittings/host';
import { createExposure } from './catalog/exposure.js';
import type { Caller, Mount } from './contracts/caller.js';
import type { Gateway } from './contracts/gateway.js';
import type { GatewayOptions } from './contracts/gateway-options.js';
import { createFrontDoors } from './front-doors.js';
import { createMemoryState } from './state/memory-state.js';
import { RateLimiter } from './state/rate-limiter.js';
import { ReplicaLink } from './state/replica-link.js';
import { SharedSessions } from './state/shared-sessions.js';
import { shareSignIn } from './state/shared-sign-in.js';
import { createStatusPage } from './status/status-page.js';
import { createSurface } from './surface/create-surface.js';

/**
 * Serves the servers of a host as one MCP server: all of them at `/mcp`, with names such as `github__create_issue`, and each at
 * `/mcp/{server}` under its own names. Does not close the host. Throws `CONFIG_INVALID`.
 *
 * @example
 * ```ts
 * const callbacks = createCallbackRouter();
 * const host = createHost({ name, version, transports, callbacks: callbacks.hostCallbacks });
 * await host.connect(entries);
 * const gateway = createGateway(host, { callbacks, access });
 * await gateway.listen({ port: 8080 });
 * ```
 */
export function createGateway(host: Host, given: GatewayOptions = {}): Gateway {
  const options = { ...given, logger: guardLogger(given.logger) };
  const exposure = createExposure({ host, ...options });
  const serves = (caller: Caller, mount: Mount): boolean =>
    mount.server === undefined || exposure.hasServer({ caller, mount }, mount.server);
  const { status: page = false, observe, clock = systemClock, serverInfo, state, logger } = options;
  const status =
    page === false
      ? undefined
      : createStatusPage({
          version: serverInfo?.version,
          ...(page === true ? {} : page),
          host,
          serves,
          clock,
        });
  const limiter = options.rateLimits?.length
    ? new RateLimiter({
        limits: options.rateLimits,
        state: state ?? createMemoryState({ clock }),
        clock,
        logger,
      })
    : undefined;
  const replicas = state && new ReplicaLink(state, clock, logger);
  const signIn = options.signIn && replicas ? shareSignIn(options.signIn, replicas) : options.signIn;
  const surface = createSurface({
    ...options,
    host,
    limiter,
    replicas,
    signIn,
    observe:
      status === undefined
        ? observe
        : (event) => {
            status.observe(event);
            observe?.(event);
          },
  });
  const gateway = createFrontDoors(surface, serves, {
    ...options,
    signIn,
    pages: [...(options.pages ?? []), ...(status ? [status] : [])],
    sessions: { ...options.sessions, shared: state && replicas && new SharedSessions(state, replicas) },
  });
  const close = async (): Promise<void> => {
    status?.[Symbol.dispose]();
    await gateway.close();
    await replicas?.close();
  };
  return {
    ...gateway,
    load: () => ({ ...gateway.load(), rateLimits: limiter?.counts ?? { refused: 0, local: 0 } }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
