import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { Implementation } from '@modelcontextprotocol/server';
import { openCallRouter } from '../callbacks/callback-router.js';
import { HeldCalls } from '../callbacks/held-calls.js';
import { createCatalog } from '../catalog/catalog.js';
import { createExposure } from '../catalog/exposure.js';
import { ReadyServers, snapshotOf } from '../catalog/ready-servers.js';
import type { Surface } from '../contracts/surface.js';
import { setCallHandlers } from './call-handlers.js';
import { CallRunner } from './call-runner.js';
import { createChangeWatch } from './change-watch.js';
import { createDoor } from './door.js';
import { GatewayServer } from './gateway-server.js';
import { createHeldCallRelay } from './held-call-relay.js';
import { introductionTo } from './introduction.js';
import { knownRefusal } from './known-refusal.js';
import { setListHandlers } from './list-handlers.js';
import { createLogLevels } from './log-levels.js';
import { createScopeEvents } from './scope-events.js';
import { setSessionHandlers } from './session-handlers.js';
import { Subscriptions } from './subscriptions.js';
import type { SurfaceDeps } from './surface-deps.js';
import { DEFAULT_LIMITS, type SurfaceOptions } from './surface-options.js';

const DEFAULT_INFO = { name: 'mcp-fittings', version: '1' };

/**
 * Creates the MCP server that the servers of a host are together, for any number of clients and on any wire.
 * @example
 * const surface = createSurface({ host, callbacks });
 * await surface.createServer({ caller: { id: 'me' }, mount: {}, era: 'legacy' }).connect(transport);
 */
export function createSurface(options: SurfaceOptions): Surface {
  const { host, clock = systemClock, replicas } = options;
  const callbacks = openCallRouter(options.callbacks);
  const { serverInfo = DEFAULT_INFO } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const exposure = createExposure(options);
  const catalog = createCatalog({ host, exposure, naming: options.naming });
  const held = new HeldCalls({
    clock,
    answerMs: limits.answerMs,
    maxCalls: limits.heldCalls,
    maxCallsPerCaller: limits.heldCallsPerCaller,
    replica: replicas?.id,
  });
  const relay = replicas && createHeldCallRelay(replicas, held);
  const door = createDoor(options);
  const deps: SurfaceDeps = {
    options,
    clock,
    limits,
    exposure,
    catalog,
    held,
    door,
    servers: new ReadyServers({ host, clock, ...limits }),
    subscriptions: new Subscriptions(host),
    logLevels: createLogLevels(host, door),
    changes: createChangeWatch({ host, catalog, clock, changeMs: limits.changeMs }),
  };

  return {
    createServer(connection) {
      const { caller, mount, era } = connection;
      const server: GatewayServer = new GatewayServer(infoOf(connection), {
        async introduce() {
          await deps.servers.ready(exposure.servers(connection), caller.principal, limits.handshakeMs);
          session.introduced();
          return introductionTo(connection, { host, exposure, limits });
        },
        onConnect: () => era === 'legacy' && session.begin(),
        onDisconnect: () => session.end(),
      });
      const runner = new CallRunner(
        { host, clock, held, answerMs: limits.answerMs, relay, callbacks, door },
        connection,
        () => server,
      );
      const session = setSessionHandlers(server, connection, deps);
      setListHandlers(server, connection, deps, (kind) => session.listed(kind));
      setCallHandlers(server, connection, deps, runner);
      return server;

      function infoOf({ mount: { server: only } }: typeof connection): Implementation {
        if (only === undefined || !exposure.hasServer({ caller, mount }, only)) return serverInfo;
        const state = snapshotOf(host, only, caller.principal)?.state;
        const known = state?.status === 'connected' ? state.connection.serverInfo : undefined;
        if (known === undefined) return { ...serverInfo, name: only };
        const { name, version, title = only } = known;
        return { name, version, title };
      }
    },
    events: (caller, mount, resources = []) => createScopeEvents({ caller, mount }, resources, deps),
    inputSchema(caller, mount, tool) {
      const ref = catalog.toolRef({ caller, mount }, tool);
      return ref && catalog.tool({ caller, mount }, ref)?.inputSchema;
    },
    refusal: (caller, mount, message) => knownRefusal({ caller, mount }, message, deps),
    async close() {
      held.close();
      deps.changes[Symbol.dispose]();
      catalog[Symbol.dispose]();
    },
  };
}
