import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { createCaller } from '../calls/caller.js';
import { createUrlElicitations } from '../calls/url-elicitations.js';
import { createServerCatalogue } from '../catalogue/server-catalogue.js';
import { connectOnce, type Live } from '../connection/attempt.js';
import { typeOf } from '../connection/choose-plugin.js';
import { startHealthCheck } from '../connection/health-check.js';
import { createInboundLimit } from '../connection/inbound-limit.js';
import { createIdleTimer } from '../connection/idle-timer.js';
import { isCallable } from '../connection/is-callable.js';
import { sleep } from '../connection/sleep.js';
import { createSupervisor } from '../connection/supervisor.js';
import type { ConnectionState, ConnectPhase } from '../contracts/state.js';
import { guardCallbacks } from '../server-requests/guard.js';
import type { ServerConnection, ServerParts } from './contract.js';
import { asFittingsError, createEngineEvents } from './engine-events.js';
import { entryIdentity } from './entry-identity.js';
import { createOffers } from './offers.js';
import { createPreparation } from './prepare-connection.js';
import { createServerMemory } from './server-memory.js';
import { createSignIn } from './sign-in.js';
import { createSignInWatch } from './sign-in-watch.js';
import { toSnapshot } from './snapshot.js';
import { createStanding } from './standing.js';

/** How long the end of a server waits for its cache. */
const CACHE_FAREWELL_MS = 2000;

export function createServerConnection(parts: ServerParts): ServerConnection {
  const { server, config, settings, clock, emitter, limits, tracer } = parts;
  const report = (error: unknown): void => {
    // What runs in the background is as good a witness of an ended sign-in as a call.
    if (error instanceof AuthRequiredError) requireAuth(error);
    emitter.emit('error', { server, error: asFittingsError(server, error) });
  };
  const identity = entryIdentity(config);
  const resolve = once(parts.resolve);
  const memory = createServerMemory({
    cache: parts.cache,
    server,
    config,
    person: parts.person,
    auth: () => resolve().auth,
    onError: (error) =>
      emitter.emit('error', { server, error: asFittingsError(server, error, 'CALLBACK_FAILED') }),
  });
  const standing = createStanding();
  let lastError: FittingsError | undefined;
  let demanded: AuthRequiredError | undefined;
  /** A connection ended by itself and is not back yet. */
  let dropped = false;
  let health: Disposable | undefined;
  /** Lists that changed while they were read for the first time. */
  const earlyNews = new Set<'tools' | 'prompts' | 'resources'>();

  const catalogue = createServerCatalogue({
    server,
    clock,
    limits,
    tracer,
    onRead(kind) {
      emitter.emit('catalogue', { server, kind });
      memory.rememberLists(catalogue.lists, catalogue.isPublic);
    },
    onToolsChanged: (changes) => emitter.emit('toolsChanged', { server, changes }),
    random: parts.random,
    budget: parts.listBudget,
    isLive: (session) =>
      supervisor.live?.session === session && supervisor.live.transport.closeReason === undefined,
    onFailed(error) {
      lastError = error;
      report(error);
    },
    onAuthRequired: (error) => requireAuth(error),
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

  const callbacks = guardCallbacks(parts.callbacks, {
    clock,
    callbackMs: limits.callbackMs,
    calls: () => caller.inFlight(),
  });
  const elicitations = createUrlElicitations({ server, clock, callbacks, onError: report });

  const engineEvents = createEngineEvents({
    server,
    clock,
    logger: parts.logger,
    emitter,
    eventsPerSecond: limits.eventsPerSecond,
    isSubscribed: (uri) => standing.isSubscribed(uri),
    onElicitationCompleted: (id) => elicitations.completed(id),
    onListChanged(kind) {
      if (supervisor.live !== undefined) catalogue.changed(kind, supervisor.live.session);
      else earlyNews.add(kind);
    },
  });

  const inbound = createInboundLimit({
    server,
    clock,
    perSecond: limits.eventsPerSecond,
    onListChanged: engineEvents.listChanged,
    onFlood: report,
  });

  const connect = async (
    signal: AbortSignal,
    attempt: number,
    phase: (phase: ConnectPhase) => void,
  ): Promise<Live> => {
    const context = { server, attempt, protocolVersion: undefined as string | undefined };
    return tracer.trace(dropped ? 'reconnect' : 'connect', context, async () => {
      const era = await memory.era();
      earlyNews.clear();
      const everything = { ...parts, ...resolve(), callbacks, inbound, connectMs: settings.connectMs, era };
      try {
        const live = await connectOnce(everything, { ...engineEvents, phase }, signal);
        context.protocolVersion = live.session.protocolVersion;
        const found = live.session.era;
        if (found.kind === 'stateless' || found.isGuess !== true) await memory.rememberEra(found);
        return live;
      } catch (error) {
        // The verdict may be what is wrong: the next attempt finds out again.
        if (!(error instanceof AuthRequiredError)) await memory.rememberEra(undefined);
        throw error;
      }
    });
  };

  const prepare = createPreparation({
    server,
    clock,
    emitter,
    catalogue,
    standing,
    discoveryMs: limits.discoveryMs,
    isCurrent: ({ session }) => supervisor.live?.session === session,
    onError: report,
  });

  const signIn = createSignIn(server, () => resolve().auth);
  const signedInElsewhere = (): Promise<boolean> => signIn.elsewhere(demanded?.challenge);
  const signInWatch = createSignInWatch({
    clock,
    look: signedInElsewhere,
    onSignIn: () => void supervisor.start().catch(() => undefined),
  });
  const supervisor = createSupervisor(
    {
      server,
      clock,
      random: parts.random,
      reconnect: settings.reconnect,
      turn: (signal) => parts.turns.acquire(signal),
      connect,
      prepare,
      settled: (live) => caller.settled(live),
      onState: (state, previous) => onState(state, previous),
    },
    settings.disabled ? { status: 'disabled' } : { status: 'disconnected', reason: 'not started' },
  );
  const idle = createIdleTimer(clock, settings.idleMs, () => {
    if (!standing.any) void supervisor.stop('idle');
  });

  const onState = (state: ConnectionState, previous: ConnectionState): void => {
    if ('error' in state && state.error !== undefined) lastError = state.error;
    if (state.status === 'needs-auth') {
      demanded = state.error;
      signInWatch.begin();
    } else {
      signInWatch[Symbol.dispose]();
    }
    if (state.status === 'connected') {
      demanded = undefined;
      signInWatch.reset();
    }
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
    for (const kind of earlyNews) catalogue.changed(kind, live.session);
    earlyNews.clear();
    const { enabled, ...check } = settings.healthCheck;
    if (!enabled) return;
    health = startHealthCheck(live.session, {
      ...check,
      clock,
      onUnhealthy(failures, cause) {
        if (cause instanceof AuthRequiredError) return requireAuth(cause, live);
        emitter.emit('unhealthy', { server, failures });
        const text = `"${server}" left ${failures} health checks in a row unanswered.`;
        supervisor.giveUp(live, new FittingsError('TIMEOUT', text, { server, cause }));
      },
    });
  };

  const requireAuth = (error: AuthRequiredError, live = supervisor.live): void => {
    // What an earlier connection is told says nothing of the present one.
    if (live === undefined || live !== supervisor.live) return;
    // At once: the state follows a moment later, and somebody may sign in before that.
    demanded = error;
    supervisor.requireAuth(live, error);
  };
  const offer = createOffers();

  const caller = createCaller({
    server,
    supervisor,
    clock,
    random: parts.random,
    delivery: settings.delivery,
    msOf(method) {
      if (method === 'resources/read') return limits.readMs ?? settings.callMs;
      return (method === 'prompts/get' ? limits.promptMs : undefined) ?? settings.callMs;
    },
    callTotalMs: limits.callTotalMs,
    eventsPerSecond: limits.eventsPerSecond,
    meta: parts.traceContext,
    onBusy: (delta) => idle.busy(delta),
    onAuthRequired: requireAuth,
    signedInElsewhere: () => signedInElsewhere().catch(() => false),
    carryOut: (refusal, signal) => elicitations.carryOut(refusal, signal),
  });
  const call: ServerConnection['call'] = (what, about) =>
    tracer.trace('call', { server, ...about }, () =>
      caller.call({ ...what, method: about.method, target: about.target }),
    );

  return {
    config,
    settings,
    signIn,
    get demanded() {
      return demanded;
    },
    snapshot() {
      const counts = {
        tools: catalogue.lists.tools.length,
        prompts: catalogue.lists.prompts.length,
        resources: catalogue.lists.resources.length,
        resourceTemplates: catalogue.lists.resourceTemplates.length,
      };
      const { state } = supervisor;
      const lists = { ...catalogue.status };
      return toSnapshot(
        {
          name: server,
          identity,
          type: typeOf(config),
          scope: parts.scope(),
          state,
          lastError,
          counts,
          lists,
        },
        config,
      );
    },
    offered(kind) {
      if (!isCallable(supervisor.state)) return [];
      if (supervisor.live !== undefined) catalogue.refreshStale(supervisor.live.session);
      return offer(kind, catalogue.lists[kind], supervisor.state.status);
    },
    lists() {
      if (supervisor.live !== undefined) catalogue.refreshStale(supervisor.live.session);
      return catalogue.lists;
    },
    forget() {
      memory.forget();
      catalogue.restore({ tools: [], prompts: [], resources: [], resourceTemplates: [] });
    },
    forgetEra: () => memory.forget(),
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
      catalogue.dispose();
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
