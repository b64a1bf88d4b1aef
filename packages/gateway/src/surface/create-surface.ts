import { setMaxListeners } from 'node:events';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import {
  INITIALIZE_REVISIONS,
  isRecord,
  META,
  RPC_CODES,
  STATELESS_REVISION,
} from '@mcp-fittings/toolbox/messages';
import type { CatalogTool, ListKind, ToolRef } from '@mcp-fittings/host';
import { openCallRouter } from '../callbacks/callback-router.js';
import { HeldCalls } from '../callbacks/held-calls.js';
import { createCatalog } from '../catalog/catalog.js';
import { createExposure } from '../catalog/exposure.js';
import { ReadyServers, snapshotOf } from '../catalog/ready-servers.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { ClientConnection, ClientRequest, Surface } from '../contracts/surface.js';
import { idOfReplica } from '../state/replica-ids.js';
import { CallHandlers } from './call-handlers.js';
import { ChangeWatch } from './change-watch.js';
import { createDoor } from './door.js';
import { HeldCallRelay } from './held-call-relay.js';
import { introductionTo } from './introduction.js';
import { answerList } from './list-handlers.js';
import { LogLevels } from './log-levels.js';
import { textIn } from './request-params.js';
import { toRpcError } from './rpc-errors.js';
import { answerListen } from './listen.js';
import { watchScope } from './watch-scope.js';
import { Session } from './session.js';
import { StreamPlaces } from './stream-places.js';
import { Subscriptions } from './subscriptions.js';
import type { SurfaceDeps } from './surface-deps.js';
import { DEFAULT_LIMITS, type SurfaceOptions } from './surface-options.js';

const DEFAULT_INFO = { name: 'mcp-fittings', version: '1' };

/** Answers a request. */
type Handler = (request: ClientRequest) => Promise<JSONRPCObject>;

/** Creates the MCP server that the servers of a host are together, for any number of clients and on any wire. */
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
    toId: (secret) => idOfReplica(replicas?.id, secret),
  });
  const door = createDoor(options);
  const deps: SurfaceDeps = {
    options,
    clock,
    limits,
    exposure,
    catalog,
    held,
    relay: replicas && new HeldCallRelay(replicas, held),
    callbacks,
    door,
    servers: new ReadyServers(host, clock),
    subscriptions: new Subscriptions(host),
    logLevels: new LogLevels(host, door),
    changes: new ChangeWatch(host, catalog, clock),
  };

  const closing = new AbortController();
  // Each stream of `subscriptions/listen` has one.
  setMaxListeners(0, closing.signal);
  const places = new StreamPlaces(options.maxSubscriptions);
  const calls = new CallHandlers(deps);
  const watching = host.on('state', (event) => {
    deps.subscriptions.onState(event);
    deps.logLevels.onState(event);
  });

  const list =
    (kind: ListKind): Handler =>
    (request) =>
      answerList(kind, request, deps, (exposed) => sessionOf(request)?.listed(exposed));
  const introduce = async (request: ClientRequest) => {
    await deps.servers.ready(exposure.servers(request), request.caller.principal, limits.handshakeMs);
    return introductionTo(request, host, exposure);
  };
  const infoOf = ({ caller, mount }: ClientConnection): JSONRPCObject => {
    const { server: only } = mount;
    if (only === undefined || !exposure.hasServer({ caller, mount }, only)) return { ...serverInfo };
    const state = snapshotOf(host, only, caller.principal)?.state;
    const known = state?.status === 'connected' ? state.connection.serverInfo : undefined;
    if (known === undefined) return { ...serverInfo, name: only };
    const { name, version, title = only } = known;
    return { name, version, title };
  };
  const both: Readonly<Record<string, Handler>> = {
    'tools/list': list('tools'),
    'prompts/list': list('prompts'),
    'resources/list': list('resources'),
    'resources/templates/list': list('resourceTemplates'),
    'tools/call': (request) => calls.tool(request),
    'prompts/get': (request) => calls.prompt(request),
    'resources/read': (request) => calls.resource(request),
    'completion/complete': (request) => calls.completion(request),
  };
  const handlers: Readonly<Record<ClientConnection['era'], ReadonlyMap<string, Handler>>> = {
    legacy: new Map<string, Handler>([
      ...Object.entries(both),
      ['ping', async () => ({})],
      [
        'initialize',
        async (request) => {
          const asked = textIn(request.params, 'protocolVersion');
          const protocolVersion = INITIALIZE_REVISIONS.find((known) => known === asked);
          const introduction = await introduce(request);
          const { capabilities } = request.params;
          sessionOf(request)?.introduced(isRecord(capabilities) ? capabilities : {});
          const answering = infoOf(request);
          return {
            protocolVersion: protocolVersion ?? INITIALIZE_REVISIONS[0],
            serverInfo: answering,
            ...introduction,
          };
        },
      ],
      ['resources/subscribe', async (request) => sessionOf(request)?.subscribe(request) ?? {}],
      ['resources/unsubscribe', async (request) => sessionOf(request)?.unsubscribe(request) ?? {}],
      ['logging/setLevel', async (request) => sessionOf(request)?.setLevel(request) ?? {}],
    ]),
    modern: new Map<string, Handler>([
      ...Object.entries(both),
      ['tasks/get', (request) => calls.tasks.get(request)],
      ['tasks/update', (request) => calls.tasks.update(request)],
      ['tasks/cancel', (request) => calls.tasks.cancel(request)],
      [
        'server/discover',
        async (request) => ({ supportedVersions: [STATELESS_REVISION], ...(await introduce(request)) }),
      ],
      [
        'subscriptions/listen',
        (request) =>
          answerListen(request, places, closing.signal, deps.limits.subscriptions, (uris, onEvent) =>
            watchScope(request, uris, onEvent, deps),
          ),
      ],
    ]),
  };

  return {
    async answer(request) {
      const { era, method } = request;
      try {
        const handler = handlers[era].get(method);
        if (handler === undefined)
          throw new RpcError(RPC_CODES.methodNotFound, 'Method not found', undefined, 404);
        const result = await handler(request);
        return era === 'legacy' ? result : completed(method, result, infoOf(request));
      } catch (error) {
        throw toRpcError(error, era);
      }
    },
    openSession: (connection, notify) => new Session(connection, notify, deps),
    async inputSchema(caller, mount, tool) {
      const scope = { caller, mount };
      const listed = (ref: ToolRef | undefined): CatalogTool | undefined => ref && catalog.tool(scope, ref);
      const ref = catalog.toolRef(scope, tool);
      const known = listed(ref);
      if (known !== undefined) return known.inputSchema;
      const servers = ref === undefined ? exposure.servers(scope) : [ref.server];
      await deps.servers.ready(servers, caller.principal, limits.listMs);
      return listed(catalog.toolRef(scope, tool))?.inputSchema;
    },
    async close() {
      held.close();
      closing.abort();
      watching[Symbol.dispose]();
      deps.changes[Symbol.dispose]();
      catalog[Symbol.dispose]();
    },
  };
}

/** The surface has opened the session of each request of one. */
function sessionOf({ session }: ClientRequest): Session | undefined {
  return session instanceof Session ? session : undefined;
}

/** Results that a client of 2026-07-28 may keep. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/** Returns a result as revision 2026-07-28 has it: its kind, how long it may be kept, and who has answered. */
function completed(method: string, result: JSONRPCObject, serverInfo: JSONRPCObject): JSONRPCObject {
  const { resultType = 'complete', _meta: meta = {} } = result;
  const { ttlMs, cacheScope } = result;
  const isTtl = typeof ttlMs === 'number' && Number.isFinite(ttlMs) && ttlMs >= 0;
  return {
    ...result,
    resultType,
    ...(resultType === 'complete' &&
      CACHEABLE.has(method) && {
        ttlMs: isTtl ? ttlMs : 0,
        cacheScope: cacheScope === 'public' ? 'public' : 'private',
      }),
    _meta: { [META.serverInfo]: serverInfo, ...meta },
  };
}
