import { AuthRequiredError, FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';
import { IdleTimer, OpenCalls } from '../calls/open-calls.js';
import { ServerCalls } from '../calls/server-calls.js';
import { UrlElicitations } from '../calls/url-elicitations.js';
import { connectOnce, type Connection } from '../connection/connect-once.js';
import { InboundLimit } from '../connection/connection-observer.js';
import { Supervisor } from '../connection/supervisor.js';
import { startHealthCheck } from '../connection/health-check.js';
import type { CatalogTool, ListKind, Available } from '../contracts/catalog.js';
import type { ResourceResult } from '../contracts/content.js';
import type { EngineCallbacks, EngineEvents, ProtocolEra } from '../contracts/engine.js';
import type { ReadOptions } from '../contracts/host.js';
import type { ConnectionState, ConnectPhase, ServerSnapshot } from '../contracts/state.js';
import { asFittingsError } from '../engine/request-errors.js';
import { readResourceResult } from '../engine/read-results.js';
import { guardCallbacks } from '../server-requests/guard-callbacks.js';
import { typeOf } from '../setup/entry-transport.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { ServerSettings } from '../setup/settings.js';
import { EraCheck, isRefusal } from './check-era.js';
import { createEngineEvents } from './engine-events.js';
import { ReadCache } from './read-cache.js';
import { ServerCache } from './server-cache.js';
import { ServerCatalog, type Lists } from './server-catalog.js';
import { Availability, entryIdentity, isCallable, toSnapshot } from './snapshot.js';
import { SignIn, SignInWatch } from './sign-in.js';
import { Subscriptions } from './subscriptions.js';

/** Milliseconds that `dispose` waits for the cache. */
const CACHE_CLOSE_MS = 2000;

/** One server of a host: its connection, its lists and its calls. */
export class ServerConnection {
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  readonly signIn: SignIn;
  readonly subscriptions: Subscriptions;
  readonly supervisor: Supervisor;
  readonly calls: ServerCalls;
  readonly #deps: ServerDeps;
  readonly #identity: string;
  readonly #type: string | undefined;
  readonly #cache: ServerCache;
  readonly #reads: ReadCache;
  readonly #callbacks: EngineCallbacks;
  readonly #urlElicitations: UrlElicitations;
  readonly #signInWatch: SignInWatch;
  readonly #idle: IdleTimer;
  readonly #catalog: ServerCatalog;
  readonly #inbound: InboundLimit;
  readonly #engineEvents: Omit<EngineEvents, 'closed'>;
  readonly #availability = new Availability();
  /** Lists that changed while they were read for the first time. */
  readonly #earlyChanges = new Set<'tools' | 'prompts' | 'resources'>();
  #lastError: FittingsError | undefined;
  #authError: AuthRequiredError | undefined;
  /** True if the connection was lost and has not been made again yet. */
  #dropped = false;
  #health: Disposable | undefined;

  constructor(deps: ServerDeps) {
    const { server, config, settings, clock, limits, emitter } = deps;
    this.#deps = deps;
    this.config = config;
    this.settings = settings;
    this.#identity = entryIdentity(config);
    this.#type = typeOf(config);
    const onCacheError = (error: unknown): void =>
      emitter.emit('error', { server, error: asFittingsError(server, error, 'CALLBACK_FAILED') });
    this.#cache = new ServerCache(deps, onCacheError);
    this.#reads = new ReadCache(deps, onCacheError);
    const open = new OpenCalls();
    const { callbacks = {} } = deps.options;
    this.#callbacks = guardCallbacks(
      deps.interception?.callbacks(callbacks, limits.callbackMs) ?? callbacks,
      {
        clock,
        callbackMs: limits.callbackMs,
        calls: () => open.inFlight(),
        principal: deps.principal,
      },
    );
    this.#urlElicitations = new UrlElicitations(deps, this.#callbacks, this.#report);
    this.signIn = new SignIn(deps);
    this.supervisor = new Supervisor(deps, {
      connect: (signal, attempt, phase) => this.#connect(signal, attempt, phase),
      settled: (connection) => open.settled(connection),
      onState: (state, previous) => this.#onState(state, previous),
    });
    const { supervisor } = this;
    const signedInElsewhere = (): Promise<boolean> => this.signIn.elsewhere(this.#authError?.challenge);
    this.#signInWatch = new SignInWatch(clock, {
      look: signedInElsewhere,
      onSignIn: () => void supervisor.start().catch(() => undefined),
    });
    this.#idle = new IdleTimer(clock, settings.idleMs, () => {
      if (!this.subscriptions.any) void supervisor.stop('idle');
    });
    const eraCheck = new EraCheck(limits.discoveryMs, supervisor);
    this.calls = new ServerCalls(deps, {
      open,
      supervisor,
      urlElicitations: this.#urlElicitations,
      idle: this.#idle,
      onAuthRequired: (error, connection) => this.#requireAuth(error, connection),
      onFailed: (error, connection) => void eraCheck.check(error, connection),
      signedInElsewhere: () => signedInElsewhere().catch(() => false),
    });
    this.subscriptions = new Subscriptions(server, this.calls);
    this.#catalog = new ServerCatalog(deps, {
      onRead: (kind) => {
        emitter.emit('catalog', { server, kind });
        this.#cache.rememberLists(this.#catalog.lists, this.#catalog);
      },
      onToolsChanged: (changes) => emitter.emit('toolsChanged', { server, changes }),
      isCurrent: (session) =>
        supervisor.connection?.session === session &&
        supervisor.connection.transport.closeReason === undefined,
      onFailed: (error) => {
        this.#lastError = error;
        this.#report(error);
      },
      onAuthRequired: (error) => this.#requireAuth(error),
      onSkipped: (kind, reasons) =>
        this.#report(
          new FittingsError(
            'PROTOCOL_VIOLATION',
            `Some ${kind} of the server "${server}" were left out: ${reasons.join('; ')}.`,
            { server },
          ),
        ),
    });
    this.#inbound = new InboundLimit(deps, {
      onListChanged: (kind) => this.#onListChanged(kind),
      onResourceUpdated: () => this.#reads.changedAll(),
      onFlood: this.#report,
    });
    this.#engineEvents = createEngineEvents(deps, {
      isSubscribed: (uri) => this.subscriptions.isSubscribed(uri),
      onNotification: (method, params) => this.#urlElicitations.notified(method, params),
      onResourceUpdated: (uri) => this.#reads.changed(uri),
      onListChanged: (kind) => this.#onListChanged(kind),
    });
  }

  /** Error with which the server requires a sign-in; `undefined` if it does not. */
  get authError(): AuthRequiredError | undefined {
    return this.#authError;
  }

  /** Returns the lists of the server. Reads stale ones again in the background. */
  get lists(): Readonly<Lists> {
    const { connection } = this.supervisor;
    if (connection !== undefined) this.#catalog.refreshStale(connection.session);
    return this.#catalog.lists;
  }

  snapshot(): ServerSnapshot {
    const { server: name, principal, scopes } = this.#deps;
    const { tools, prompts, resources, resourceTemplates } = this.#catalog.lists;
    return toSnapshot(
      {
        name,
        ...(principal !== undefined && { principal }),
        identity: this.#identity,
        type: this.#type,
        scope: scopes.get(name),
        state: this.supervisor.state,
        lastError: this.#lastError,
        counts: {
          tools: tools.length,
          prompts: prompts.length,
          resources: resources.length,
          resourceTemplates: resourceTemplates.length,
        },
        lists: { ...this.#catalog.status },
      },
      this.config,
    );
  }

  /** Returns the items that can be used now or at the next use. Reads a stale list again in the background. */
  available<Kind extends ListKind>(kind: Kind): readonly Available<Lists[Kind][number]>[] {
    const { state } = this.supervisor;
    return isCallable(state) ? this.#availability.add(kind, this.lists[kind], state.status) : [];
  }

  /** Returns the tool with this name from what {@link available} returns, without going through it. */
  availableTool(name: string): Available<CatalogTool> | undefined {
    const { state } = this.supervisor;
    const found = isCallable(state) ? this.tool(name) : undefined;
    return found && { ...found, serverState: state.status };
  }

  /** Returns the tool with this name, from {@link lists}. */
  tool(name: string): CatalogTool | undefined {
    const { connection } = this.supervisor;
    if (connection !== undefined) this.#catalog.refreshStale(connection.session);
    return this.#catalog.tool(name);
  }

  /** Forgets what was for the user who was signed in: the lists and the handshake. */
  forget(): void {
    this.#cache.forget();
    this.#reads.clear();
    this.#catalog.restore({ tools: [], prompts: [], resources: [], resourceTemplates: [] });
  }

  /** Forgets the handshake, because another user may be signed in now. */
  forgetEra(): void {
    this.#cache.forget();
  }

  /** Restores the cached lists, unless the server is connected. */
  async restoreLists(): Promise<void> {
    const lists = await this.#cache.lists();
    if (lists !== undefined && this.supervisor.connection === undefined) this.#catalog.restore(lists);
  }

  /** Reads a resource, or returns what was read before and is still fresh. */
  async readResource(uri: string, options: ReadOptions): Promise<ResourceResult> {
    const { fresh = false, meta, headers, signal } = options;
    // The result may depend on both.
    const isPlain = meta === undefined && headers === undefined;
    const { connection } = this.supervisor;
    if (isPlain && !fresh && signal?.aborted !== true && connection !== undefined) {
      const isStateless = connection.session.era.kind === 'stateless';
      const known = this.#reads.get(uri) ?? (isStateless ? await this.#reads.getShared(uri) : undefined);
      if (known !== undefined) return known;
    }
    const keep = isPlain ? this.#reads.begin(uri) : undefined;
    const result = await this.calls.send({
      method: 'resources/read',
      target: uri,
      needs: 'resources',
      params: { uri },
      options,
      repeatable: true,
      read: (raw) => readResourceResult(this.#deps.server, uri, raw),
    });
    if (this.supervisor.connection?.askedAgain.has(uri) === false) keep?.(result);
    return result;
  }

  async rootsChanged(): Promise<void> {
    const session = this.supervisor.connection?.session;
    if (session?.era.kind === 'initialize') await session.notify('notifications/roots/list_changed', {});
  }

  async dispose(): Promise<void> {
    await this.supervisor.dispose();
    this.#catalog.dispose();
    // The last writes are for the next run; a cache that hangs must not delay the end.
    await settlesWithin(CACHE_CLOSE_MS, this.#cache.settled(), this.#deps.clock);
  }

  /**
   * Connects and prepares the connection. If the server refuses the era of an earlier connection, in the handshake or when its lists are
   * read, it may have been updated or rolled back: it is asked for its era at once.
   */
  async #connect(
    signal: AbortSignal,
    attempt: number,
    phase: (phase: ConnectPhase) => void,
  ): Promise<Connection> {
    const once = async (era: ProtocolEra | undefined): Promise<Connection> => {
      const connection = await this.#open(era, signal, attempt, phase);
      try {
        const found = connection.session.era;
        if (found.kind === 'stateless' || found.isGuess !== true) await this.#cache.rememberEra(found);
        phase('listing');
        await this.#prepare(connection, signal);
        signal.throwIfAborted();
        return connection;
      } catch (error) {
        await connection.session.close().catch(() => undefined);
        throw error;
      }
    };
    const known = await this.#cache.era();
    try {
      return await once(known);
    } catch (error) {
      if (error instanceof AuthRequiredError || signal.aborted) throw error;
      // Whatever has failed, the era may be the cause: the next attempt probes again.
      await this.#cache.rememberEra(undefined);
      if (known === undefined || !isRefusal(error)) throw error;
      return once(undefined);
    }
  }

  /**
   * Reads the lists before the server counts as connected, and restores the subscriptions of an earlier connection. Repeats both when the
   * transport has restored its session or its event stream.
   */
  async #prepare(connection: Connection, signal: AbortSignal): Promise<void> {
    const { server, emitter, clock, limits } = this.#deps;
    const { session, transport } = connection;
    const restore = async (): Promise<void> => {
      const options = { timeoutMs: limits.discoveryMs, signal };
      for (const error of await this.subscriptions.restore(session, options)) this.#report(error);
    };
    try {
      await Promise.all([this.#catalog.readAll(session, signal), restore()]);
    } catch (error) {
      // The reason for the end of the connection is more useful than the failure that followed from it.
      throw transport.closeReason ?? error;
    }
    if (transport.closeReason !== undefined) throw transport.closeReason;
    let renewal: Disposable | undefined;
    // A new session does not have the subscriptions of the lost one, and notifications may have been missed while the stream
    // was down. Several such events at once count as one.
    const renewSoon = (): void => {
      renewal ??= clock.schedule(() => {
        renewal = undefined;
        if (this.supervisor.connection?.session !== session) return;
        this.#catalog.changedAll(session);
        this.#reads.changedAll();
        void restore().then(() => {
          for (const uri of this.subscriptions.uris) emitter.emit('resourceUpdated', { server, uri });
        });
      }, 0);
    };
    transport.onsessionrestored = renewSoon;
    transport.onreconnect = renewSoon;
  }

  #open(
    era: ProtocolEra | undefined,
    signal: AbortSignal,
    attempt: number,
    phase: (phase: ConnectPhase) => void,
  ): Promise<Connection> {
    const { server, tracer, interception } = this.#deps;
    const traced = { server, attempt, protocolVersion: undefined as string | undefined };
    return tracer.trace(this.#dropped ? 'reconnect' : 'connect', traced, async () => {
      this.#earlyChanges.clear();
      const events = { ...this.#engineEvents, phase };
      const once = () =>
        connectOnce(this.#deps, { callbacks: this.#callbacks, events, inbound: this.#inbound, era, signal });
      const limit = { timeoutMs: this.settings.connectMs, signal };
      const connection = await (interception === undefined
        ? once()
        : interception.connect(server, attempt, limit, once));
      traced.protocolVersion = connection.session.protocolVersion;
      return connection;
    });
  }

  #onState(state: ConnectionState, previous: ConnectionState): void {
    const { server, emitter } = this.#deps;
    if ('error' in state && state.error !== undefined) this.#lastError = state.error;
    if (state.status === 'needs-auth') {
      this.#authError = state.error;
      this.#signInWatch.begin();
    } else {
      this.#signInWatch[Symbol.dispose]();
    }
    if (state.status === 'connected') {
      this.#authError = undefined;
      this.#signInWatch.reset();
    }
    if (previous.status === 'connected') {
      this.#health?.[Symbol.dispose]();
      this.#idle[Symbol.dispose]();
      this.#catalog.pause();
      this.#reads.clear();
      this.#dropped = state.status === 'pending' || state.status === 'failed';
    }
    if (state.status === 'connected') this.#onConnected();
    emitter.emit('state', { server, state, previous });
    const hasDropped = this.#dropped;
    if (hasDropped && state.status === 'connected') emitter.emit('reconnected', { server });
    if (hasDropped && state.status === 'failed')
      emitter.emit('reconnectFailed', { server, error: state.error });
    if (state.status !== 'pending' && state.status !== 'connecting') this.#dropped = false;
  }

  #onConnected(): void {
    const { server, clock, emitter } = this.#deps;
    const { connection } = this.supervisor;
    if (connection === undefined) return;
    this.#idle.arm();
    for (const kind of this.#earlyChanges) this.#catalog.changed(kind, connection.session);
    this.#earlyChanges.clear();
    const { enabled, ...check } = this.settings.healthCheck;
    if (!enabled) return;
    this.#health = startHealthCheck(connection.session, {
      ...check,
      clock,
      onUnhealthy: (failures, cause) => {
        if (cause instanceof AuthRequiredError) return this.#requireAuth(cause, connection);
        const text = `The server "${server}" did not answer ${failures} consecutive health checks.`;
        const error = new FittingsError('TIMEOUT', text, { server, cause });
        emitter.emit('unhealthy', { server, failures, error });
        this.supervisor.giveUp(connection, error);
      },
    });
  }

  #onListChanged(kind: 'tools' | 'prompts' | 'resources'): void {
    if (kind === 'resources') this.#reads.changedAll();
    const { connection } = this.supervisor;
    if (connection !== undefined) this.#catalog.changed(kind, connection.session);
    else this.#earlyChanges.add(kind);
  }

  #requireAuth(error: AuthRequiredError, connection = this.supervisor.connection): void {
    // A refusal over an earlier connection does not concern the current one.
    if (connection === undefined || connection !== this.supervisor.connection) return;
    // Set at once, because the user may sign in before the state changes.
    this.#authError = error;
    this.supervisor.requireAuth(connection, error);
  }

  readonly #report = (error: unknown): void => {
    const { server, emitter } = this.#deps;
    // A background request can find out that the sign-in has ended, too.
    if (error instanceof AuthRequiredError) this.#requireAuth(error);
    emitter.emit('error', { server, error: asFittingsError(server, error) });
  };
}
