import type { Host } from '@mcp-fittings/host';
import { createExposure } from './catalog/exposure.js';
import type { FrontDoorOptions, Gateway } from './contracts/gateway.js';
import { createFrontDoors } from './front-doors.js';
import { createSurface } from './surface/create-surface.js';
import type { SurfaceOptions } from './surface/surface-options.js';

/** Options of {@link createGateway}: what is served, and to whom. */
export interface GatewayOptions extends Omit<SurfaceOptions, 'host'>, FrontDoorOptions {}

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
  const exposure = createExposure({ host, ...options });
  const surface = createSurface({ ...options, host });
  return createFrontDoors(
    surface,
    (caller, mount) => mount.server === undefined || exposure.hasServer({ caller, mount }, mount.server),
    options,
  );
}
