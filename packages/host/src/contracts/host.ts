import type {
  AuthPlugin,
  Clock,
  FittingsError,
  HostCache,
  Logger,
  ServerConfig,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import type {
  CatalogPrompt,
  CatalogResource,
  CatalogResourceTemplate,
  CatalogTool,
  ListKind,
  Available,
  ToolChanges,
} from './catalog.js';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { Completion, Progress, PromptResult, ResourceResult, ToolResult } from './content.js';
import type { CompletionParams, Engine } from './engine.js';
import type { HostCallbacks, LogEntry, LogLevel } from './server-requests.js';
import type { ConnectionState, ConnectionStatus, ServerSnapshot } from './state.js';

export interface HostOptions {
  /** Speaks the protocol: `sdk(…)` of `@mcp-fittings/host/sdk`, or `sdk(…)` of `@mcp-fittings/host/sdk-v2`. */
  readonly engine: Engine;
  /** Which types of transport a config entry may ask for. */
  readonly transports: readonly TransportPlugin[];
  /** Asked in order for each server; the first that feels responsible signs its requests. */
  readonly auth?: readonly AuthPlugin[] | undefined;
  /**
   * Where the entry of a server comes from, such as `ServerEntry.id` of `@mcp-fittings/config`: credentials that were obtained
   * for one entry are not given to another one of the same name and URL. Default: its name.
   */
  readonly identityOf?: ((server: string) => string | undefined) | undefined;
  /** What the host does for servers: elicitation, sampling, roots. */
  readonly callbacks?: HostCallbacks | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Connect each server at its first use instead of at once; an entry's `lazy` goes before. Default false. */
  readonly lazy?: boolean | undefined;
  /** Disconnect a server after so many milliseconds without use; an entry's `idleMs` goes before. Default 0: never. */
  readonly idleMs?: number | undefined;
  /** An entry's `delivery` goes before. Default `reconnect`. */
  readonly delivery?: DeliveryPolicy | undefined;
  /**
   * Whom this host acts for, as an opaque name: the id of an account. What a server does not call public is kept in
   * {@link cache} for this person alone. Set it where hosts of several persons share a cache.
   */
  readonly principal?: string | undefined;
  /**
   * Keeps what was learned of servers, so that a lazy server's tools are known before it runs. What a server does not call
   * public (`cacheScope`, 2026-07-28) is kept for {@link principal} and for who is signed in, as the auth plugin says. Where
   * neither is known it is not kept.
   */
  readonly cache?: HostCache | undefined;
  /**
   * The current trace context, added to `_meta` of each request: `traceparent`, `tracestate`, `baggage`.
   * @see https://www.w3.org/TR/trace-context/
   */
  readonly traceContext?: (() => Readonly<Record<string, string>> | undefined) | undefined;
  /** Chance in [0, 1) for the jitter of delays. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** What entries say of themselves goes before. A mistake here fails every server with `CONFIG_INVALID`. */
  readonly defaults?: ServerDefaults | undefined;
  /** Limits and delays; each has a default. */
  readonly limits?: Partial<HostLimits> | undefined;
}

/**
 * What happens to a call when its server is not connected. `none`: it fails at once. `reconnect`: it waits for the
 * connection; once sent it is never sent again. `retry`: it is also sent again when the server certainly did not carry it
 * out, or when its tool is marked read-only or idempotent.
 */
export type DeliveryPolicy = 'none' | 'reconnect' | 'retry';

export interface ConnectOptions {
  /** Where each entry comes from, by the name of the server: `user`, `project`, … The snapshots say it. */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
}

/** What holds for every server whose entry does not say otherwise, member by member. */
export interface ServerDefaults {
  /** Milliseconds for a call without answer or progress. Goes before `limits.callMs`. */
  readonly timeout?: number | undefined;
  /** Default: 5 attempts, 1000 milliseconds before the second one. */
  readonly reconnect?:
    { readonly maxAttempts?: number | undefined; readonly delayMs?: number | undefined } | undefined;
  /** Off, unless it is here or in the entry. Default: every 30 000 ms, 10 000 ms for an answer, 3 failures. */
  readonly healthCheck?:
    | {
        readonly enabled?: boolean | undefined;
        readonly intervalMs?: number | undefined;
        readonly timeoutMs?: number | undefined;
        readonly maxFailures?: number | undefined;
      }
    | undefined;
}

/** All times in milliseconds. */
export interface HostLimits {
  /** Opening the transport and the handshake together. Default 30 000. */
  readonly connectMs: number;
  /** Each list request after the handshake. Default 15 000. */
  readonly discoveryMs: number;
  /** A tool call without answer or progress; an entry's `timeout` goes before. Default 600 000. */
  readonly callMs: number;
  /** Each list request. Default: `discoveryMs`. */
  readonly listMs?: number | undefined;
  /** `resources/read`; goes before an entry's `timeout`. Default: as a tool call. */
  readonly readMs?: number | undefined;
  /** `prompts/get`; goes before an entry's `timeout`. Default: as a tool call. */
  readonly promptMs?: number | undefined;
  /** A tool call in all, however much progress it reports. Default 3 600 000. */
  readonly callTotalMs: number;
  /**
   * How many servers are started at the same time. A server that has not connected half a second after its start makes
   * room for the next one, so that servers that hang hold up nobody. Default 16.
   */
  readonly parallelConnects: number;
  /** Pages fetched of one list. Default 64. */
  readonly listPages: number;
  /** Items kept of one list. Default 10 000. */
  readonly listItems: number;
  /** Bytes that the lists of all servers may take together; what does not fit is left out. Default 268 435 456. */
  readonly listBytes: number;
  /** A callback of the host that answers a server. Default 600 000. */
  readonly callbackMs: number;
  /**
   * What one server may send on its own in one second: so many requests, so many progress notifications, and so many other
   * notifications. More are dropped, and requests refused. Default 200.
   */
  readonly eventsPerSecond: number;
}

/** Names one tool. Routing never parses names: a host's own naming maps to this. */
export interface ToolRef {
  readonly server: string;
  readonly tool: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without an answer or progress. */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What a {@link Host} tells. */
export interface HostEvents {
  /** A server went from one state to another. */
  state: { readonly server: string; readonly state: ConnectionState; readonly previous: ConnectionState };
  /** A connection that had ended by itself is back. */
  reconnected: { readonly server: string };
  /** A connection that had ended by itself does not come back. */
  reconnectFailed: { readonly server: string; readonly error: FittingsError };
  /** A server stopped answering health checks; its connection is given up. */
  unhealthy: { readonly server: string; readonly failures: number };
  /** A list of one server was read or read again. */
  catalog: { readonly server: string; readonly kind: ListKind };
  /** The tools of a server are not what they were when they were read before. */
  toolsChanged: { readonly server: string; readonly changes: ToolChanges };
  /** A subscribed resource changed, or may have while its server could not tell. */
  resourceUpdated: { readonly server: string; readonly uri: string };
  /**
   * A notification that the host does not handle itself: of a vendor, of an extension, or
   * `notifications/elicitation/complete`. At most `eventsPerSecond`, log messages included, of 1 MiB each.
   */
  notification: { readonly server: string; readonly method: string; readonly params: JSONRPCObject };
  /** A server logged something. */
  log: LogEntry & { readonly server: string };
  /** Something went wrong that no call reports. */
  error: { readonly server: string; readonly error: FittingsError };
}

/**
 * Many MCP servers as one. Nothing of one server (its failure, its slowness, its flood) affects another.
 * Methods that talk to a server reject with a `FittingsError`; its `delivery` says how far the request got.
 */
export interface Host extends AsyncDisposable {
  /**
   * Adds these servers and connects all that are enabled, in parallel. Resolves once every one has connected or failed;
   * it does not reject for a server that failed: look at the snapshots. Calling it again with the same entry changes
   * nothing.
   */
  connect(
    servers: Readonly<Record<string, ServerConfig>>,
    options?: ConnectOptions,
  ): Promise<readonly ServerSnapshot[]>;
  /** Every server in the order in which it was added. */
  servers(): readonly ServerSnapshot[];
  /** Throws `SERVER_UNKNOWN`. */
  server(name: string): ServerSnapshot;

  /**
   * What can be called now, or at its next use (its server is lazy, idle, or connecting). What servers list that are
   * stopped, disabled, failed or wait for a sign-in is not among it.
   */
  tools(): readonly Available<CatalogTool>[];
  prompts(): readonly Available<CatalogPrompt>[];
  resources(): readonly Available<CatalogResource>[];
  resourceTemplates(): readonly Available<CatalogResourceTemplate>[];

  callTool(
    ref: ToolRef,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
  getPrompt(
    ref: { readonly server: string; readonly prompt: string },
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptResult>;
  readResource(
    ref: { readonly server: string; readonly uri: string },
    options?: CallOptions,
  ): Promise<ResourceResult>;
  complete(ref: { readonly server: string } & CompletionParams, options?: CallOptions): Promise<Completion>;
  /** Sends a request of any method, of an extension for example; the result is passed on as it is. */
  request(
    ref: { readonly server: string; readonly method: string },
    params?: JSONRPCObject,
    options?: CallOptions,
  ): Promise<JSONRPCObject>;
  /**
   * Sends a notification of any method to a server; resolves when it was sent. Connects the server when it is not, as a
   * call does. Rejects with `CAPABILITY_MISSING` for a method that the protocol revision does not have.
   */
  notify(server: string, method: string, params?: JSONRPCObject, options?: CallOptions): Promise<void>;
  subscribe(ref: { readonly server: string; readonly uri: string }, options?: CallOptions): Promise<void>;
  unsubscribe(ref: { readonly server: string; readonly uri: string }, options?: CallOptions): Promise<void>;
  setLogLevel(server: string, level: LogLevel, options?: CallOptions): Promise<void>;

  /** Connects one server, also one that has failed. Rejects with what it failed with. */
  start(server: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Disconnects one server; it stays known and does not come back by itself. */
  stop(server: string): Promise<void>;
  restart(server: string): Promise<void>;
  /** Lets a disabled server be started again; it does not start it. */
  enable(server: string): void;
  /** Disconnects a server and refuses to connect it until it is enabled. */
  disable(server: string): Promise<void>;
  /** Disconnects a server and forgets it. */
  remove(server: string): Promise<void>;

  /**
   * Signs in to a server with a person's help, then connects it. One sign-in at a time per server: a second call joins
   * the first. Rejects with `AUTH_FAILED` where the server has no way to sign in.
   */
  signIn(server: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Forgets the credentials of a server and disconnects it. */
  signOut(server: string): Promise<void>;

  /** Tells connected servers that `callbacks.roots` gives other roots now. */
  rootsChanged(): Promise<void>;
  statistics(): HostStatistics;

  /** Listens to one kind of event; dispose of the result to stop. A listener that throws is reported as an error event. */
  on<Name extends keyof HostEvents>(event: Name, listener: (event: HostEvents[Name]) => void): Disposable;

  /** Closes all connections; the host can't be used any more. */
  close(): Promise<void>;
}

export interface HostStatistics {
  readonly servers: number;
  readonly connected: number;
  /** Servers in `failed` or `needs-auth`. */
  readonly errored: number;
  readonly tools: number;
  readonly byStatus: Readonly<Partial<Record<ConnectionStatus, number>>>;
}
