import {
  AuthRequiredError,
  FittingsError,
  type AuthProvider,
  type Clock,
  type HostCache,
  type Logger,
  type ServerConfig,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { createCaller, type Call } from '../calls/caller.js';
import { createServerCatalogue, type Lists } from '../catalogue/server-catalogue.js';
import { connectOnce, type Live } from '../connection/attempt.js';
import { typeOf } from '../connection/choose-plugin.js';
import { startHealthCheck } from '../connection/health-check.js';
import { createIdleTimer } from '../connection/idle-timer.js';
import type { Semaphore } from '../connection/semaphore.js';
import type { ServerSettings } from '../connection/settings.js';
import { sleep } from '../connection/sleep.js';
import { createSupervisor, type Supervisor } from '../connection/supervisor.js';
import type { Engine } from '../contracts/engine.js';
import type { HostEvents, HostLimits } from '../contracts/host.js';
import type { HostCallbacks, LogLevel } from '../contracts/server-requests.js';
import type { ConnectionState, ConnectPhase, ServerSnapshot } from '../contracts/state.js';
import type { Tracer } from '../observability/channels.js';
import type { Emitter } from '../observability/events.js';
import { asFittingsError, createEngineEvents } from './engine-events.js';
import { entryIdentity } from './entry-identity.js';
import { createServerMemory } from './server-memory.js';
import { createSignIn, type SignIn } from './sign-in.js';
import { createStanding } from './standing.js';

export interface ServerParts {
  readonly server: string;
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  /** Finds what serves the entry; throws a `FittingsError` where nothing does. */
  readonly resolve: () => { readonly plugin: TransportPlugin; readonly auth: AuthProvider | undefined };
  readonly engine: Engine;
  readonly callbacks: HostCallbacks;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly logger: Logger | undefined;
  readonly limits: HostLimits;
  readonly cache: HostCache | undefined;
  readonly turns: Semaphore;
  readonly tracer: Tracer;
  readonly traceContext: () => Readonly<Record<string, unknown>> | undefined;
  readonly emitter: Emitter<HostEvents>;
}

/** One server of a host: its connection, its lists, its calls. */
export interface ServerConnection extends Pick<
  Supervisor,
  'disable' | 'dispose' | 'enable' | 'firstOutcome' | 'start' | 'stop'
> {
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  readonly signIn: SignIn;
  /** What the server wants before it lets us in; undefined while it does. */
  readonly demanded: AuthRequiredError | undefined;
  snapshot(): ServerSnapshot;
  /** What the server lists; reads again, in the background, what has aged. */
  lists(): Readonly<Lists>;
  /** Lists that an earlier run remembered; for a server that is not connected. */
  recall(): Promise<void>;
  call<T>(
    call: Call<T>,
    about: { readonly method: string; readonly target?: string | undefined },
  ): Promise<T>;
  subscribe(uri: string, call: Call<void>['options']): Promise<void>;
  unsubscribe(uri: string, call: Call<void>['options']): Promise<void>;
  setLogLevel(level: LogLevel, call: Call<void>['options']): Promise<void>;
  rootsChanged(): Promise<void>;
}

/** How long the end of a server waits for its cache. */
const CACHE_FAREWELL_MS = 2000;

export function createServerConnection(parts: ServerParts): ServerConnection {
  const { server, config, settings, clock, emitter, limits, tracer } = parts;
  const report = (error: unknown): void =>
    emitter.emit('error', { server, error: asFittingsError(server, error) });
  const memory = createServerMemory(parts.cache, server, config, (error) =>
    emitter.emit('error', { server, error: asFittingsError(server, error, 'CALLBACK_FAILED') }),
  );
  const identity = entryIdentity(config);
  const standing = createStanding();
  const resolve = once(parts.resolve);
  let lastError: FittingsError | undefined;
  let demanded: AuthRequiredError | undefined;
  /** A connection ended by itself and is not back yet. */
  let dropped = false;
  let health: Disposable | undefined;

  const catalogue = createServerCatalogue({
    server,
    clock,
    limits,
    tracer,
    onRead(kind) {
      emitter.emit('catalogue', { server, kind });
      memory.rememberLists(catalogue.lists);
    },
    onToolsChanged: (changes) => emitter.emit('toolsChanged', { server, changes }),
    onError: report,
    onLeft: (kind, reasons) =>
      report(
        new FittingsError(
          'PROTOCOL_VIOLATION',
          `Some ${kind} of "${server}" were left out: ${reasons.join('; ')}.`,
          {
            server,
          },
        ),
      ),
  });

  const engineEvents = createEngineEvents({
    server,
    clock,
    logger: parts.logger,
    emitter,
    eventsPerSecond: limits.eventsPerSecond,
    isSubscribed: (uri) => standing.isSubscribed(uri),
    onListChanged(kind) {
      if (supervisor.live !== undefined) catalogue.changed(kind, supervisor.live.session);
    },
  });

  const connect = async (
    signal: AbortSignal,
    attempt: number,
    phase: (phase: ConnectPhase) => void,
  ): Promise<Live> => {
    const context = { server, attempt, protocolVersion: undefined as string | undefined };
    return tracer.trace(dropped ? 'reconnect' : 'connect', context, async () => {
      const era = await memory.era();
      const everything = { ...parts, ...resolve(), connectMs: settings.connectMs, era };
      try {
        const live = await connectOnce(everything, { ...engineEvents, phase }, signal);
        context.protocolVersion = live.session.protocolVersion;
        await memory.rememberEra(live.session.era);
        return live;
      } catch (error) {
        // The verdict may be what is wrong: the next attempt finds out again.
        if (!(error instanceof AuthRequiredError)) await memory.rememberEra(undefined);
        throw error;
      }
    });
  };

  /** All that a connection needs before it counts as connected. */
  const prepare = async ({ session, transport }: Live, signal: AbortSignal): Promise<void> => {
    const options = { timeoutMs: limits.discoveryMs, signal };
    const restore = async (): Promise<void> => {
      for (const error of await standing.restore(session, options)) report(error);
    };
    await Promise.all([catalogue.readAll(session, signal), restore()]);
    if (transport.closeReason !== undefined) throw transport.closeReason;
    // Another session of the same server: it knows nothing of what the lost one was asked for.
    transport.onsessionrestored = () => {
      restore()
        .then(() => catalogue.readAll(session, signal))
        .catch(report);
    };
  };

  const supervisor = createSupervisor(
    {
      server,
      clock,
      random: parts.random,
      reconnect: settings.reconnect,
      turn: (signal) => parts.turns.acquire(signal),
      connect,
      prepare,
      onState: (state, previous) => onState(state, previous),
    },
    settings.disabled ? { status: 'disabled' } : { status: 'disconnected', reason: 'not started' },
  );
  const idle = createIdleTimer(clock, settings.idleMs, () => {
    if (!standing.any) void supervisor.stop('idle');
  });

  const onState = (state: ConnectionState, previous: ConnectionState): void => {
    if ('error' in state && state.error !== undefined) lastError = state.error;
    if (state.status === 'needs-auth') demanded = state.error;
    if (state.status === 'connected') demanded = undefined;
    if (previous.status === 'connected') {
      health?.[Symbol.dispose]();
      idle[Symbol.dispose]();
      catalogue.pause();
      dropped = state.status === 'pending' || state.status === 'failed';
    }
    if (state.status === 'connected') onConnected();
    emitter.emit('state', { server, state, previous });
    if (dropped && state.status === 'connected') emitter.emit('reconnected', { server });
    if (dropped && state.status === 'failed') emitter.emit('reconnectFailed', { server, error: state.error });
    if (state.status !== 'pending' && state.status !== 'connecting') dropped = false;
  };

  const onConnected = (): void => {
    const { live } = supervisor;
    if (live === undefined) return;
    idle.arm();
    const { enabled, ...check } = settings.healthCheck;
    if (!enabled) return;
    health = startHealthCheck(live.session, {
      ...check,
      clock,
      onUnhealthy(failures, cause) {
        emitter.emit('unhealthy', { server, failures });
        const text = `"${server}" left ${failures} health checks in a row unanswered.`;
        supervisor.giveUp(live, new FittingsError('TIMEOUT', text, { server, cause }));
      },
    });
  };

  const caller = createCaller({
    server,
    supervisor,
    clock,
    delivery: settings.delivery,
    callMs: settings.callMs,
    callTotalMs: limits.callTotalMs,
    eventsPerSecond: limits.eventsPerSecond,
    meta: parts.traceContext,
    onBusy: (delta) => idle.busy(delta),
    onAuthRequired(error) {
      // At once: the state follows when the connection is gone, and somebody may sign in before that.
      demanded = error;
      void supervisor.requireAuth(error);
    },
  });
  const call: ServerConnection['call'] = (what, about) =>
    tracer.trace('call', { server, ...about }, () => caller.call(what));

  return {
    config,
    settings,
    signIn: createSignIn(server, () => resolve().auth),
    get demanded() {
      return demanded;
    },
    snapshot: () => ({
      name: server,
      identity,
      type: typeOf(config),
      state: supervisor.state,
      lastError,
      counts: {
        tools: catalogue.lists.tools.length,
        prompts: catalogue.lists.prompts.length,
        resources: catalogue.lists.resources.length,
        resourceTemplates: catalogue.lists.resourceTemplates.length,
      },
    }),
    lists() {
      if (supervisor.live !== undefined) catalogue.refreshStale(supervisor.live.session);
      return catalogue.lists;
    },
    async recall() {
      const lists = await memory.lists();
      if (lists !== undefined && supervisor.live === undefined) catalogue.restore(lists);
    },
    call,
    subscribe: (uri, options) =>
      call(
        { options, repeatable: true, send: (session, request) => standing.subscribe(session, uri, request) },
        { method: 'resources/subscribe', target: uri },
      ),
    unsubscribe: (uri, options) =>
      call(
        {
          options,
          repeatable: true,
          send: (session, request) => standing.unsubscribe(session, uri, request),
        },
        { method: 'resources/unsubscribe', target: uri },
      ),
    setLogLevel: (level, options) =>
      call(
        {
          options,
          repeatable: true,
          send: (session, request) => standing.setLogLevel(session, level, request),
        },
        { method: 'logging/setLevel' },
      ),
    async rootsChanged() {
      await supervisor.live?.session.rootsChanged();
    },
    start: (signal) => supervisor.start(signal),
    stop: (reason) => supervisor.stop(reason),
    firstOutcome: () => supervisor.firstOutcome(),
    async dispose() {
      await supervisor.dispose();
      // What was learned last is for the next run; a cache that hangs holds nobody up.
      const given = new AbortController();
      await Promise.race([memory.settled(), sleep(clock, CACHE_FAREWELL_MS, given.signal)]);
      given.abort();
    },
    disable: () => supervisor.disable(),
    enable: () => supervisor.enable(),
  };
}

/** Runs `make` at the first call only; while it throws, each call tries again. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
