import type {
  AuthPlugin,
  Clock,
  FittingsError,
  HostCache,
  Logger,
  ServerConfig,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type {
  Available,
  CatalogPrompt,
  CatalogResource,
  CatalogResourceTemplate,
  CatalogTool,
  ListKind,
  ToolChanges,
} from './catalog.js';
import type { Completion, Progress, PromptResult, ResourceResult, ToolResult } from './content.js';
import type { CompletionParams, Engine } from './engine.js';
import type { HostCallbacks, LogEntry, LogLevel } from './server-requests.js';
import type { ConnectionState, ConnectionStatus, ServerSnapshot } from './state.js';

/**
 * Options of `createHost()`. Only `engine` and `transports` are required.
 * @example
 * const options: HostOptions = {
 *   engine: sdk({ name: 'my-agent', version: '1.0.0' }),
 *   transports: [stdio(), http()],
 *   lazy: true,
 *   limits: { connectMs: 10_000 },
 * };
 */
export interface HostOptions {
  /**
   * Implementation of the protocol: `sdk()` of `@mcp-fittings/host/sdk` or of `@mcp-fittings/host/sdk-v2`, or an
   * {@link Engine} of your own.
   */
  readonly engine: Engine;
  /** Transports that entries may use, such as `[stdio(), http()]`. An entry that needs another one fails with `TRANSPORT_UNKNOWN`. */
  readonly transports: readonly TransportPlugin[];
  /** Sign-in schemes. They are asked in order for each server; the first that accepts the server signs its requests. Default: none. */
  readonly auth?: readonly AuthPlugin[] | undefined;
  /**
   * Returns where the entry of a server comes from, such as `ServerEntry.id` of `@mcp-fittings/config`. Credentials of one
   * entry are not used for another one with the same name and URL. Default: the name of the server.
   */
  readonly identityOf?: ((server: string) => string | undefined) | undefined;
  /** Answers to requests of servers: elicitation, sampling and roots. Default: none, so that no such capability is declared. */
  readonly callbacks?: HostCallbacks | undefined;
  /** Receives diagnostics, log messages of servers, and the stderr of stdio servers. Default: none. */
  readonly logger?: Logger | undefined;
  /** Clock for all deadlines and delays, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Connects each server when it is first used rather than in `host.connect()`; `lazy` of an entry takes precedence. Default `false`. */
  readonly lazy?: boolean | undefined;
  /** Disconnects a server that was unused for this many milliseconds; `idleMs` of an entry takes precedence. Default 0: never. */
  readonly idleMs?: number | undefined;
  /** What happens to a call while its server is not connected; `delivery` of an entry takes precedence. Default `reconnect`. */
  readonly delivery?: DeliveryPolicy | undefined;
  /**
   * Opaque id of the user for whom the host acts, such as an account id. What a server does not call public is kept in
   * {@link cache} for this user alone. Set it if hosts of several users share a cache. Default: none.
   */
  readonly principal?: string | undefined;
  /**
   * Keeps lists and handshakes between runs, so that the tools of a lazy server are known before it has connected. What a
   * server does not call public (`cacheScope`, revision 2026-07-28) is kept per {@link principal} and signed-in account,
   * and is not kept if neither is known. Default: none.
   */
  readonly cache?: HostCache | undefined;
  /**
   * Returns the current trace context (`traceparent`, `tracestate`, `baggage`) for `_meta` of each request. Default: none.
   * @see https://www.w3.org/TR/trace-context/
   */
  readonly traceContext?: (() => Readonly<Record<string, string>> | undefined) | undefined;
  /** Returns a random number in [0, 1) for the jitter of delays, for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Settings for entries that do not have their own. An invalid value fails every server with `CONFIG_INVALID`. Default: none. */
  readonly defaults?: ServerDefaults | undefined;
  /** Deadlines and bounds; each member has a default. */
  readonly limits?: Partial<HostLimits> | undefined;
}

/**
 * What happens to a call while its server is not connected. `none`: it fails at once. `reconnect`: it waits for the
 * connection, and is never sent twice. `retry`: it is also sent again if the server certainly did not carry it out, or if its
 * tool is marked read-only or idempotent.
 */
export type DeliveryPolicy = 'none' | 'reconnect' | 'retry';

/** Options of {@link Host.connect}. */
export interface ConnectOptions {
  /** Where each entry comes from, by the name of its server, such as `user` or `project`; repeated in the snapshots. Default: unknown. */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
}

/** Options of {@link Host.start} and {@link Host.signIn}. */
export interface StartOptions {
  /** Aborting it makes the method reject with `ABORTED`; a connection attempt that is under way continues. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings for servers whose entry does not have its own. Each member is merged separately. */
export interface ServerDefaults {
  /** Longest time of a call without a response or progress, in milliseconds. Default: `limits.callMs`. */
  readonly timeout?: number | undefined;
  /** Reconnecting after a failed attempt or a lost connection. */
  readonly reconnect?: ReconnectDefaults | undefined;
  /** Periodic health checks. Present: on, unless `enabled` is `false`. Default: off. */
  readonly healthCheck?: HealthCheckDefaults | undefined;
}

/** How a server is reconnected. */
export interface ReconnectDefaults {
  /** Attempts after the first one, at most 1000; 0 turns reconnecting off. Default 5. */
  readonly maxAttempts?: number | undefined;
  /** Delay before the second attempt, in milliseconds; it doubles up to 30 000. Default 1000. */
  readonly delayMs?: number | undefined;
}

/** How the health of a connected server is checked. */
export interface HealthCheckDefaults {
  /** Whether servers are checked. Default `true`. */
  readonly enabled?: boolean | undefined;
  /** Milliseconds between two checks. Default 30 000. */
  readonly intervalMs?: number | undefined;
  /** Longest time for a response, in milliseconds. Default 10 000. */
  readonly timeoutMs?: number | undefined;
  /** Consecutive failures after which the connection is given up and made again. Default 3. */
  readonly maxFailures?: number | undefined;
}

/** Deadlines in milliseconds, and bounds on what servers may send. */
export interface HostLimits {
  /** Longest time to open the transport and perform the handshake; `connectTimeout` of an entry takes precedence. Default 30 000. */
  readonly connectMs: number;
  /** Longest time of each request that restores a connection: lists, subscriptions and the log level. Default 15 000. */
  readonly discoveryMs: number;
  /** Longest time of a call without a response or progress; `timeout` of an entry takes precedence. Default 600 000. */
  readonly callMs: number;
  /** Longest time of each list request. Default: `discoveryMs`. */
  readonly listMs?: number | undefined;
  /** Longest time of `resources/read`; takes precedence over `timeout` of an entry. Default: as for a tool call. */
  readonly readMs?: number | undefined;
  /** Longest time of `prompts/get`; takes precedence over `timeout` of an entry. Default: as for a tool call. */
  readonly promptMs?: number | undefined;
  /** Longest time of a call in all, regardless of progress. Default 3 600 000. */
  readonly callTotalMs: number;
  /**
   * How many servers connect at the same time. A server that has not connected after half a second makes room for the next
   * one, so that servers that hang do not delay the others. Default 16.
   */
  readonly parallelConnects: number;
  /** Most pages that are read of one list. Default 64. */
  readonly listPages: number;
  /** Most items that are kept of one list. Default 10 000. */
  readonly listItems: number;
  /** Bytes that the lists of all servers may take together; what does not fit is left out. Default 268 435 456. */
  readonly listBytes: number;
  /** Longest time of a callback that answers a server. Default 600 000. */
  readonly callbackMs: number;
  /**
   * Messages of one server per second that answer no request of the host, counted separately for requests, progress, list
   * changes and other notifications. Excess notifications are dropped, and excess requests refused. Default 200.
   */
  readonly eventsPerSecond: number;
}

/** Names one tool of one server. */
export interface ToolRef {
  /** Name of the server in this host. */
  readonly server: string;
  /** Name of the tool, as `name` of an item of {@link Host.tools} has it. */
  readonly tool: string;
}

/** Names one prompt of one server. */
export interface PromptRef {
  /** Name of the server in this host. */
  readonly server: string;
  /** Name of the prompt, as `name` of an item of {@link Host.prompts} has it. */
  readonly prompt: string;
}

/** Names one resource of one server. */
export interface ResourceRef {
  /** Name of the server in this host. */
  readonly server: string;
  /** URI of the resource. It need not be in {@link Host.resources}: an expanded template is fine. */
  readonly uri: string;
}

/** Names a method of one server. */
export interface MethodRef {
  /** Name of the server in this host. */
  readonly server: string;
  /** JSON-RPC method, such as `skills/list`. */
  readonly method: string;
}

/** Names an argument of a prompt or resource template of one server, for {@link Host.complete}. */
export interface CompletionRef extends CompletionParams {
  /** Name of the server in this host. */
  readonly server: string;
}

/** Options of every method that sends something to a server. */
export interface CallOptions {
  /**
   * Aborting it rejects the call with `ABORTED`, and sends `notifications/cancelled` to the server if the request was sent.
   * Default: none.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest time without a response or progress, in milliseconds; then the call rejects with `TIMEOUT`. Also the longest
   * time to wait for a connection. Default: `timeout` of the entry, then `defaults.timeout`, then `limits.callMs`.
   */
  readonly timeoutMs?: number | undefined;
  /** Called with each progress report of the server, at most `limits.eventsPerSecond` times a second. Default: none. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Events of a {@link Host}, by name. `server` is the name of the server in this host. */
export interface HostEvents {
  /** The state of a server has changed. */
  state: { readonly server: string; readonly state: ConnectionState; readonly previous: ConnectionState };
  /** A lost connection was made again. */
  reconnected: { readonly server: string };
  /** A lost connection could not be made again; the server is `failed`. */
  reconnectFailed: { readonly server: string; readonly error: FittingsError };
  /** A server missed its health checks; the host gives up the connection and makes it again. */
  unhealthy: { readonly server: string; readonly failures: number };
  /** A list of a server was read, for the first time or again. */
  catalog: { readonly server: string; readonly kind: ListKind };
  /** The tools of a server differ from those of the previous reading. */
  toolsChanged: { readonly server: string; readonly changes: ToolChanges };
  /** A subscribed resource has changed, or may have while the server could not report it. */
  resourceUpdated: { readonly server: string; readonly uri: string };
  /**
   * A notification that the host does not handle itself: of an extension or a vendor, or
   * `notifications/elicitation/complete`. One of more than 1 MiB is dropped.
   */
  notification: { readonly server: string; readonly method: string; readonly params: JSONRPCObject };
  /** A server logged a message. */
  log: LogEntry & { readonly server: string };
  /** An error that no call reports, such as a list that could not be read again. */
  error: { readonly server: string; readonly error: FittingsError };
}

/**
 * Connects to many MCP servers and routes calls to them. A failure, delay or flood of one server does not affect the others.
 *
 * Methods that send something to a server reject with a `FittingsError`. Its `delivery` says whether the server may have
 * carried out the request: `not-sent`, `rejected` or `unknown`. All of them reject with `SERVER_UNKNOWN` for a name that was
 * not passed to {@link connect}, with `CONFIG_INVALID` for arguments of the wrong type, and with `TRANSPORT_CLOSED` after
 * {@link close}.
 */
export interface Host extends AsyncDisposable {
  /**
   * Adds servers and connects those that are neither disabled nor lazy, in parallel. Resolves with a snapshot of each once
   * every one has connected or failed for the first time. Does not reject if a server fails: check `state` of the snapshots.
   * An entry that is already known and unchanged is left alone; one that has changed replaces the server.
   * @example
   * const [server] = await host.connect({ docs: { command: 'npx', args: ['-y', 'docs-server'] } });
   * if (server?.state.status === 'failed') console.error(server.state.error.message);
   */
  connect(
    servers: Readonly<Record<string, ServerConfig>>,
    options?: ConnectOptions,
  ): Promise<readonly ServerSnapshot[]>;
  /** Returns a snapshot of every server, in the order in which they were added. */
  servers(): readonly ServerSnapshot[];
  /** Returns a snapshot of one server. Throws `SERVER_UNKNOWN`. */
  server(name: string): ServerSnapshot;

  /**
   * Returns the tools that can be called now, or as soon as the host has connected their server for the call (a server that
   * is lazy, idle or connecting). Leaves out those of servers that are stopped, disabled, failed or waiting for a sign-in.
   * Does not wait for any server.
   */
  tools(): readonly Available<CatalogTool>[];
  /** Returns the prompts that can be used, as {@link tools} does for tools. */
  prompts(): readonly Available<CatalogPrompt>[];
  /** Returns the resources that can be read, as {@link tools} does for tools. */
  resources(): readonly Available<CatalogResource>[];
  /** Returns the resource templates that can be used, as {@link tools} does for tools. */
  resourceTemplates(): readonly Available<CatalogResourceTemplate>[];

  /**
   * Calls a tool. Connects its server first if necessary, as {@link HostOptions.delivery} says. A tool that fails does not
   * reject: its result has `isError: true` and an explanation for the model.
   *
   * Rejects with `TOOL_UNKNOWN` if a connected server does not list the tool, `RPC_ERROR` if the server answers with an
   * error, `AUTH_REQUIRED` until the user signs in, `TIMEOUT` or `ABORTED`, and with the code of the failure if the
   * connection could not be made or was lost. Check `delivery` of the error before you call again.
   * @param args - arguments of the tool; default `{}`. They are not validated: see `@mcp-fittings/tools`.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools
   * @example
   * const { content, isError } = await host.callTool(
   *   { server: 'calculator', tool: 'add' },
   *   { a: 40, b: 2 },
   *   { timeoutMs: 5_000 },
   * );
   * if (content[0]?.type === 'text') console.log(isError ? 'failed:' : 'sum:', content[0].text);
   */
  callTool(
    ref: ToolRef,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
  /**
   * Gets a prompt with its arguments filled in. Rejects with `CAPABILITY_MISSING` if the server offers no prompts, and
   * otherwise as {@link callTool} does.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#getting-a-prompt
   */
  getPrompt(
    ref: PromptRef,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptResult>;
  /**
   * Reads a resource. Rejects with `CAPABILITY_MISSING` if the server offers no resources, and otherwise as {@link callTool}
   * does.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#reading-resources
   */
  readResource(ref: ResourceRef, options?: CallOptions): Promise<ResourceResult>;
  /**
   * Suggests values for an argument of a prompt or a resource template. Rejects with `CAPABILITY_MISSING` if the server
   * offers no completions, and otherwise as {@link callTool} does.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
   */
  complete(ref: CompletionRef, options?: CallOptions): Promise<Completion>;
  /** Sends a request of any method, of an extension for example, and resolves with the result unchanged. It is never sent twice. */
  request(ref: MethodRef, params?: JSONRPCObject, options?: CallOptions): Promise<JSONRPCObject>;
  /**
   * Sends a notification of any method; resolves when it was sent. Connects the server first if necessary, as a call does.
   * Rejects with `CAPABILITY_MISSING` for a method that the negotiated protocol revision does not have.
   */
  notify(server: string, method: string, params?: JSONRPCObject, options?: CallOptions): Promise<void>;
  /**
   * Subscribes to updates of a resource, which arrive as `resourceUpdated` events. The subscription is restored after a
   * reconnect, and keeps an idle server connected.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
   */
  subscribe(ref: ResourceRef, options?: CallOptions): Promise<void>;
  /** Cancels a subscription. */
  unsubscribe(ref: ResourceRef, options?: CallOptions): Promise<void>;
  /**
   * Sets the lowest level at which a server logs; its messages arrive as `log` events. The level is set again after a
   * reconnect. Rejects with `CAPABILITY_MISSING` if the server does not log.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level
   */
  setLogLevel(server: string, level: LogLevel, options?: CallOptions): Promise<void>;

  /**
   * Connects a server, also one that has failed. Resolves when it is connected; rejects with the error of its last attempt,
   * or with `SERVER_DISABLED`.
   */
  start(server: string, options?: StartOptions): Promise<void>;
  /** Disconnects a server. It stays known, and is not reconnected until {@link start}; calls reject with `TRANSPORT_CLOSED`. */
  stop(server: string): Promise<void>;
  /** Disconnects a server and connects it again. Rejects as {@link start} does. */
  restart(server: string): Promise<void>;
  /** Allows a disabled server to be started again. Does not start it. */
  enable(server: string): void;
  /** Disconnects a server and refuses to connect it until {@link enable}; calls reject with `SERVER_DISABLED`. */
  disable(server: string): Promise<void>;
  /** Disconnects a server and forgets it: further use of its name rejects with `SERVER_UNKNOWN`. */
  remove(server: string): Promise<void>;

  /**
   * Signs in to a server with the help of the user, then connects it. A second call joins a sign-in that is under way.
   * Rejects with `AUTH_FAILED` if no auth plugin can sign in to the server, or with the error of the sign-in.
   */
  signIn(server: string, options?: StartOptions): Promise<void>;
  /** Revokes and forgets the credentials of a server, and disconnects it. */
  signOut(server: string): Promise<void>;

  /** Tells all connected servers that `callbacks.roots` returns other roots now. */
  rootsChanged(): Promise<void>;
  /** Returns totals over all servers, for a status line. */
  statistics(): HostStatistics;

  /**
   * Adds a listener for one event. Dispose of the result to remove it. If a listener throws, the error is logged and the
   * other listeners still run.
   * @example
   * using listening = host.on('state', ({ server, state }) => console.log(server, state.status));
   */
  on<Name extends keyof HostEvents>(event: Name, listener: (event: HostEvents[Name]) => void): Disposable;

  /** Closes all connections and ends all server processes. The host cannot be used again. */
  close(): Promise<void>;
}

/** Totals over all servers of a host. */
export interface HostStatistics {
  /** Number of servers. */
  readonly servers: number;
  /** Number of servers that are `connected`. */
  readonly connected: number;
  /** Number of servers that are `failed` or `needs-auth`. */
  readonly errored: number;
  /** Number of tools that all servers list, also those of servers that cannot be called now. */
  readonly tools: number;
  /** Number of servers in each state; a state without servers is absent. */
  readonly byStatus: Readonly<Partial<Record<ConnectionStatus, number>>>;
}
