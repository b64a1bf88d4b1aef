import { AuthRequiredError, FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import { createCallDispatcher, type Call } from '../calls/call-dispatcher.js';
import { createUrlElicitations } from '../calls/url-elicitations.js';
import { createServerCatalog, type Lists } from './server-catalog.js';
import { connectOnce, type Connection } from '../connection/connect-once.js';
import { createInboundLimit } from '../connection/inbound-limit.js';
import { createSupervisor, type Supervisor } from '../connection/supervisor.js';
import { createIdleTimer, startHealthCheck } from '../connection/health-and-idle.js';
import type { CatalogTool, ListKind, Available } from '../contracts/catalog.js';
import type { ResourceResult } from '../contracts/content.js';
import type { ProtocolEra } from '../contracts/engine.js';
import type { CallOptions, ReadOptions } from '../contracts/host.js';
import type { LogLevel } from '../contracts/server-requests.js';
import type { ConnectionState, ConnectPhase, ServerSnapshot } from '../contracts/state.js';
import { guardCallbacks } from '../server-requests/guard-callbacks.js';
import { interceptedCallbacks } from '../interception/load-interception.js';
import { typeOf } from '../setup/entry-transport.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { ServerSettings } from '../setup/settings.js';
import { asFittingsError, createEngineEvents } from './engine-events.js';
import { createEraCheck } from './check-era.js';
import { establish } from './establish.js';
import { createPreparation } from './prepare-connection.js';
import { createReadCache } from './read-cache.js';
import { createServerCache } from './server-cache.js';
import { createAvailability, entryIdentity, isCallable, toSnapshot } from './snapshot.js';
import { createSignIn, createSignInWatch, type SignIn } from './sign-in.js';
import { createSubscriptions } from './subscriptions.js';

/** One server of a host: its connection, its lists and its calls. */
export interface ServerConnection extends Pick<
  Supervisor,
  'disable' | 'dispose' | 'enable' | 'firstOutcome' | 'settled' | 'start' | 'stop'
> {
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  readonly signIn: SignIn;
  /** Why the server requires a sign-in; `undefined` if it does not. */
  readonly authError: AuthRequiredError | undefined;
  /** Whether a resource is subscribed to, so that the connection is in use. */
  readonly isSubscribed: boolean;
  snapshot(): ServerSnapshot;
  /** Returns the items that can be used now or at the next use. Reads a stale list again in the background. */
  available<Kind extends ListKind>(kind: Kind): readonly Available<Lists[Kind][number]>[];
  /** Returns the tool with this name from what {@link available} returns, without going through it. */
  availableTool(name: string): Available<CatalogTool> | undefined;
  /** Returns the lists of the server. Reads stale ones again in the background. */
  lists(): Readonly<Lists>;
  /** Returns the tool with this name, from {@link lists}. */
  tool(name: string): CatalogTool | undefined;
  /** Forgets what was for the user who was signed in: the lists and the handshake. */
  forget(): void;
  /** Forgets the handshake, because another user may be signed in now. */
  forgetEra(): void;
  /** Restores the cached lists, unless the server is connected. */
  restoreLists(): Promise<void>;
  call<T>(call: Call<T>): Promise<T>;
  /** Reads a resource, or returns what was read before and is still fresh. */
  readResource(uri: string, options: ReadOptions): Promise<ResourceResult>;
  subscribe(uri: string, call: CallOptions): Promise<void>;
  unsubscribe(uri: string, call: CallOptions): Promise<void>;
  setLogLevel(level: LogLevel, call: CallOptions): Promise<void>;
  rootsChanged(): Promise<void>;
}

/** How long `dispose` waits for the cache, in milliseconds. */
const CACHE_CLOSE_MS = 2000;

export function createServerConnection(deps: ServerDeps): ServerConnection {
  const { server, config, settings, clock, emitter, limits, tracer } = deps;
  const report = (error: unknown): void => {
    // A background request can find out that the sign-in has ended, too.
    if (error instanceof AuthRequiredError) requireAuth(error);
    emitter.emit('error', { server, error: asFittingsError(server, error) });
  };
  const identity = entryIdentity(config);
  const cache = createServerCache(deps, (error) =>
    emitter.emit('error', { server, error: asFittingsError(server, error, 'CALLBACK_FAILED') }),
  );
  const reads = createReadCache(deps, (error) =>
    emitter.emit('error', { server, error: asFittingsError(server, error, 'CALLBACK_FAILED') }),
  );
  const subscriptions = createSubscriptions();
  let lastError: FittingsError | undefined;
  let authError: AuthRequiredError | undefined;
  /** Whether the connection was lost and has not been made again yet. */
  let dropped = false;
  let health: Disposable | undefined;
  /** Lists that changed while they were read for the first time. */
  const earlyChanges = new Set<'tools' | 'prompts' | 'resources'>();

  const catalog = createServerCatalog(deps, {
    onRead(kind) {
      emitter.emit('catalog', { server, kind });
      cache.rememberLists(catalog.lists, catalog);
    },
    onToolsChanged: (changes) => emitter.emit('toolsChanged', { server, changes }),
    isCurrent: (session) =>
      supervisor.connection?.session === session && supervisor.connection.transport.closeReason === undefined,
    onFailed(error) {
      lastError = error;
      report(error);
    },
    onAuthRequired: (error) => requireAuth(error),
    onSkipped: (kind, reasons) =>
      report(
        new FittingsError(
          'PROTOCOL_VIOLATION',
          `Some ${kind} of the server "${server}" were left out: ${reasons.join('; ')}.`,
          {
            server,
          },
        ),
      ),
  });

  const callbacks = guardCallbacks(
    interceptedCallbacks(deps.options.callbacks ?? {}, limits.callbackMs, deps.interception),
    {
      clock,
      callbackMs: limits.callbackMs,
      calls: () => dispatcher.inFlight(),
      currentCall: () => dispatcher.current(),
      principal: deps.principal,
    },
  );
  const urlElicitations = createUrlElicitations(deps, { callbacks, onError: report });

  const engineEvents = createEngineEvents(deps, {
    isSubscribed: (uri) => subscriptions.isSubscribed(uri),
    onNotification: urlElicitations.notified,
    onResourceUpdated: (uri) => reads.changed(uri),
    onListChanged(kind) {
      if (kind === 'resources') reads.changedAll();
      if (supervisor.connection !== undefined) catalog.changed(kind, supervisor.connection.session);
      else earlyChanges.add(kind);
    },
  });

  const inbound = createInboundLimit(deps, {
    onListChanged: engineEvents.listChanged,
    onFlood: report,
  });

  const open = (
    era: ProtocolEra | undefined,
    signal: AbortSignal,
    attempt: number,
    phase: (phase: ConnectPhase) => void,
  ): Promise<Connection> => {
    const traced = { server, attempt, protocolVersion: undefined as string | undefined };
    return tracer.trace(dropped ? 'reconnect' : 'connect', traced, async () => {
      earlyChanges.clear();
      const events = { ...engineEvents, phase };
      const once = () => connectOnce(deps, { callbacks, events, inbound, era, signal });
      const limit = { timeoutMs: settings.connectMs, signal };
      const connection = await (deps.interception === undefined
        ? once()
        : (await deps.interception()).connect(server, attempt, limit, once));
      traced.protocolVersion = connection.session.protocolVersion;
      return connection;
    });
  };

  const prepare = createPreparation(deps, {
    catalog,
    subscriptions,
    isCurrent: ({ session }) => supervisor.connection?.session === session,
    onGap: () => reads.changedAll(),
    onError: report,
  });

  const signIn = createSignIn(deps);
  const signedInElsewhere = (): Promise<boolean> => signIn.elsewhere(authError?.challenge);
  const signInWatch = createSignInWatch(deps, {
    look: signedInElsewhere,
    onSignIn: () => void supervisor.start().catch(() => undefined),
  });
  const supervisor = createSupervisor(deps, {
    connect: (signal, attempt, phase) =>
      establish({ cache, signal, phase, prepare, open: (era) => open(era, signal, attempt, phase) }),
    settled: (connection) => dispatcher.settled(connection),
    onState: (state, previous) => onState(state, previous),
  });
  const idle = createIdleTimer(clock, settings.idleMs, () => {
    if (!subscriptions.any) void supervisor.stop('idle');
  });

  const onState = (state: ConnectionState, previous: ConnectionState): void => {
    if ('error' in state && state.error !== undefined) lastError = state.error;
    if (state.status === 'needs-auth') {
      authError = state.error;
      signInWatch.begin();
    } else {
      signInWatch[Symbol.dispose]();
    }
    if (state.status === 'connected') {
      authError = undefined;
      signInWatch.reset();
    }
    if (previous.status === 'connected') {
      health?.[Symbol.dispose]();
      idle[Symbol.dispose]();
      catalog.pause();
      reads.clear();
      dropped = state.status === 'pending' || state.status === 'failed';
    }
    if (state.status === 'connected') onConnected();
    emitter.emit('state', { server, state, previous });
    if (dropped && state.status === 'connected') emitter.emit('reconnected', { server });
    if (dropped && state.status === 'failed') emitter.emit('reconnectFailed', { server, error: state.error });
    if (state.status !== 'pending' && state.status !== 'connecting') dropped = false;
  };

  const onConnected = (): void => {
    const { connection } = supervisor;
    if (connection === undefined) return;
    idle.arm();
    for (const kind of earlyChanges) catalog.changed(kind, connection.session);
    earlyChanges.clear();
    const { enabled, ...check } = settings.healthCheck;
    if (!enabled) return;
    health = startHealthCheck(connection.session, {
      ...check,
      clock,
      onUnhealthy(failures, cause) {
        if (cause instanceof AuthRequiredError) return requireAuth(cause, connection);
        const text = `The server "${server}" did not answer ${failures} consecutive health checks.`;
        const error = new FittingsError('TIMEOUT', text, { server, cause });
        emitter.emit('unhealthy', { server, failures, error });
        supervisor.giveUp(connection, error);
      },
    });
  };

  const requireAuth = (error: AuthRequiredError, connection = supervisor.connection): void => {
    // A refusal over an earlier connection does not concern the current one.
    if (connection === undefined || connection !== supervisor.connection) return;
    // Set at once, because the user may sign in before the state changes.
    authError = error;
    supervisor.requireAuth(connection, error);
  };
  const checkEra = createEraCheck(limits.discoveryMs, (connection, reason) =>
    supervisor.giveUp(connection, reason),
  );
  const withState = createAvailability();
  const toolOf = (name: string): CatalogTool | undefined => {
    if (supervisor.connection !== undefined) catalog.refreshStale(supervisor.connection.session);
    return catalog.tool(name);
  };

  const dispatcher = createCallDispatcher(deps, {
    supervisor,
    onBusy: (delta) => idle.busy(delta),
    onAuthRequired: requireAuth,
    onFailed: (error, connection) => void checkEra(error, connection),
    signedInElsewhere: () => signedInElsewhere().catch(() => false),
    visitPages: (refusal, signal) => urlElicitations.visitPages(refusal, signal),
  });
  const call = <T>(sent: Call<T>): Promise<T> => {
    if (!tracer.isActive('call')) return dispatcher.call(sent);
    const { method, target } = sent;
    return tracer.trace('call', { server, method, target }, () => dispatcher.call(sent));
  };

  const readResource = async (uri: string, options: ReadOptions): Promise<ResourceResult> => {
    const { fresh = false, meta, headers, signal } = options;
    // The result may depend on both.
    const isPlain = meta === undefined && headers === undefined;
    if (isPlain && !fresh && signal?.aborted !== true && supervisor.connection !== undefined) {
      const isStateless = supervisor.connection.session.era.kind === 'stateless';
      const known = reads.get(uri) ?? (isStateless ? await reads.getShared(uri) : undefined);
      if (known !== undefined) return known;
    }
    const keep = isPlain ? reads.begin(uri) : undefined;
    const result = await call({
      method: 'resources/read',
      target: uri,
      options,
      repeatable: true,
      send: (session, request) => session.readResource(uri, request),
    });
    if (supervisor.connection?.askedAgain.has(uri) === false) keep?.(result);
    return result;
  };

  return {
    config,
    settings,
    signIn,
    get authError() {
      return authError;
    },
    get isSubscribed() {
      return subscriptions.any;
    },
    snapshot() {
      const counts = {
        tools: catalog.lists.tools.length,
        prompts: catalog.lists.prompts.length,
        resources: catalog.lists.resources.length,
        resourceTemplates: catalog.lists.resourceTemplates.length,
      };
      const { state } = supervisor;
      const lists = { ...catalog.status };
      return toSnapshot(
        {
          name: server,
          ...(deps.principal !== undefined && { principal: deps.principal }),
          identity,
          type: typeOf(config),
          scope: deps.scopes.get(server),
          state,
          lastError,
          counts,
          lists,
        },
        config,
      );
    },
    available(kind) {
      if (!isCallable(supervisor.state)) return [];
      if (supervisor.connection !== undefined) catalog.refreshStale(supervisor.connection.session);
      return withState(kind, catalog.lists[kind], supervisor.state.status);
    },
    availableTool(name) {
      if (!isCallable(supervisor.state)) return undefined;
      const found = toolOf(name);
      return found === undefined ? undefined : { ...found, serverState: supervisor.state.status };
    },
    lists() {
      if (supervisor.connection !== undefined) catalog.refreshStale(supervisor.connection.session);
      return catalog.lists;
    },
    tool: toolOf,
    forget() {
      cache.forget();
      reads.clear();
      catalog.restore({ tools: [], prompts: [], resources: [], resourceTemplates: [] });
    },
    forgetEra: () => cache.forget(),
    async restoreLists() {
      const lists = await cache.lists();
      if (lists !== undefined && supervisor.connection === undefined) catalog.restore(lists);
    },
    call,
    readResource,
    subscribe: (uri, options) =>
      call({
        method: 'resources/subscribe',
        target: uri,
        options,
        repeatable: true,
        send: (session, request) => subscriptions.subscribe(session, uri, request),
      }),
    unsubscribe: (uri, options) =>
      call({
        method: 'resources/unsubscribe',
        target: uri,
        options,
        repeatable: true,
        send: (session, request) => subscriptions.unsubscribe(session, uri, request),
      }),
    setLogLevel: (level, options) =>
      call({
        method: 'logging/setLevel',
        target: undefined,
        options,
        repeatable: true,
        send: (session, request) => subscriptions.setLogLevel(session, level, request),
      }),
    async rootsChanged() {
      await supervisor.connection?.session.rootsChanged();
    },
    start: (signal) => supervisor.start(signal),
    stop: (reason) => supervisor.stop(reason),
    firstOutcome: () => supervisor.firstOutcome(),
    settled: (signal) => supervisor.settled(signal),
    async dispose() {
      await supervisor.dispose();
      catalog.dispose();
      // The last writes are for the next run; a cache that hangs must not delay the end.
      const late = (): Error => new Error('The cache did not finish in time.');
      await withTimeout({ ms: CACHE_CLOSE_MS, error: late, clock }, () => cache.settled()).catch(
        () => undefined,
      );
    },
    disable: () => supervisor.disable(),
    enable: () => supervisor.enable(),
  };
}
