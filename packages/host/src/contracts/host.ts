import type { FittingsError, JSONRPCObject, ServerConfig } from '@mcp-fittings/client-core';
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
import type { CompletionParams } from './engine.js';
import type { LogEntry, LogLevel } from './server-requests.js';
import type { ConnectionState, ConnectionStatus, ServerSnapshot } from './state.js';
import type { ToolTask } from './tool-tasks.js';

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
  /**
   * Members to add to `_meta` of the request, such as `com.example/tenant`. A key of the protocol (`progressToken`, those of a
   * trace context, and those with a prefix of MCP) rejects the call with `CONFIG_INVALID`. Default: none.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#_meta
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /**
   * HTTP headers to send with this request, besides those of the entry. Rejects with `CAPABILITY_MISSING` if the server is not
   * connected over Streamable HTTP, and with `HEADER_INVALID` for a header that carries credentials or belongs to the transport:
   * `authorization`, `cookie`, `mcp-*` … Not sent by `subscribe`, `unsubscribe` and `setLogLevel` to a stateless server, which
   * has one stream for all of them. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The principal: an opaque id of the person for whom this call is made, such as an account id. The call uses a connection, credentials
   * and cached lists of this principal alone; see {@link Host.tools}. Rejects with `CONFIG_INVALID` if the sign-in of the server cannot
   * separate principals. Default: `principal` of the host.
   */
  readonly principal?: string | undefined;
  /**
   * Opaque id of the caller, which the host repeats in `origin` of `CallInFlight`: a callback that answers the server finds out
   * whose call it belongs to. Not sent to the server. Default: none.
   */
  readonly origin?: string | undefined;
}

/** Options of {@link Host.readResource}. */
export interface ReadOptions extends CallOptions {
  /** Reads from the server, also if the result of an earlier reading is still fresh. Default `false`. */
  readonly fresh?: boolean | undefined;
}

/** Options of {@link Host.callTool}. */
export interface CallToolOptions extends CallOptions {
  /**
   * Options for a task with which the server may answer. They need `tasks()` of `@mcp-fittings/tasks` around the transport plugin. Each
   * poll of the task counts as progress for {@link CallOptions.timeoutMs}; `limits.callTotalMs` bounds the whole call. Default: the call
   * waits for the result of the task, if `tasks()` of `@mcp-fittings/tasks` is around the transport plugin.
   */
  readonly task?:
    | {
        /** Called when the task is created, and when its status or its message has changed. Default: none. */
        readonly onUpdate?: ((task: ToolTask) => void) | undefined;
        /**
         * Id of a task of an earlier run, from a `TaskStore` for example. The tool is not called: the result is that of the task.
         * Rejects with `RPC_ERROR` if the transport is not wrapped by `tasks()`, or if its store does not let you resume the task.
         * Default: none, so that the tool is called.
         */
        readonly resume?: string | undefined;
        /**
         * If true, the task is not canceled when `signal` is aborted or the call fails, and no store remembers it: your program keeps its
         * id, and can resume it with `keep`, more than once. Default `false`.
         */
        readonly keep?: boolean | undefined;
      }
    | undefined;
  /**
   * Handles a tool that a connected server does not list: `refuse` rejects with `TOOL_UNKNOWN`; `send` lets the server answer, as a server
   * may that has tools which it does not list. Default `refuse`.
   */
  readonly unlisted?: 'refuse' | 'send' | undefined;
}

/**
 * Events of a {@link Host}, by name. `server` is the name of the server in this host; `principal` the one whose connection it is,
 * for connections of {@link CallOptions.principal}.
 */
export interface HostEvents {
  /** The state of a server has changed. */
  state: {
    readonly server: string;
    readonly principal?: string | undefined;
    readonly state: ConnectionState;
    readonly previous: ConnectionState;
  };
  /** A lost connection was made again. */
  reconnected: { readonly server: string; readonly principal?: string | undefined };
  /** A lost connection could not be made again; the server is `failed`. */
  reconnectFailed: {
    readonly server: string;
    readonly principal?: string | undefined;
    readonly error: FittingsError;
  };
  /** A server missed its health checks; the host gives up the connection and makes it again. `error.cause` is the last failure. */
  unhealthy: {
    readonly server: string;
    readonly principal?: string | undefined;
    readonly failures: number;
    readonly error: FittingsError;
  };
  /** A list of a server was read, for the first time or again. */
  catalog: { readonly server: string; readonly principal?: string | undefined; readonly kind: ListKind };
  /** The tools of a server differ from those of the previous reading. */
  toolsChanged: {
    readonly server: string;
    readonly principal?: string | undefined;
    readonly changes: ToolChanges;
  };
  /** A subscribed resource has changed, or may have while the server could not report it. */
  resourceUpdated: { readonly server: string; readonly principal?: string | undefined; readonly uri: string };
  /**
   * A notification that the host does not handle itself: of an extension or a vendor, or
   * `notifications/elicitation/complete`. One of more than 1 MiB is dropped.
   */
  notification: {
    readonly server: string;
    readonly principal?: string | undefined;
    readonly method: string;
    readonly params: JSONRPCObject;
  };
  /** A task was created, or its status or message has changed. Needs `tasks()` of `@mcp-fittings/tasks`. */
  task: ToolTask;
  /** A server logged a message. */
  log: LogEntry & { readonly server: string; readonly principal?: string | undefined };
  /** An error that no call reports, such as a list that could not be read again. */
  error: { readonly server: string; readonly principal?: string | undefined; readonly error: FittingsError };
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
   * An entry that is already known and unchanged is left alone; one that has changed replaces the server. With a `cache`, the
   * lists of all servers are restored before the first one is started: {@link tools} returns them after a turn or two.
   * @param options.scopes Where each entry comes from, by the name of its server, such as `user` or `project`; repeated in the snapshots.
   * Default: unknown.
   * @example
   * const [server] = await host.connect({ docs: { command: 'npx', args: ['-y', 'docs-server'] } });
   * if (server?.state.status === 'failed') console.error(server.state.error.message);
   */
  connect(
    servers: Readonly<Record<string, ServerConfig>>,
    options?: { readonly scopes?: Readonly<Record<string, string>> | undefined },
  ): Promise<readonly ServerSnapshot[]>;
  /**
   * Resolves with a snapshot of each server once none is connecting or waits for another attempt: each is connected, or has failed,
   * requires a sign-in or is not started. {@link connect} resolves after the first attempts.
   * @param options.signal Ends the wait: rejects with `ABORTED`. Default: none.
   */
  settled(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly ServerSnapshot[]>;
  /** Returns a snapshot of every server, in the order in which they were added. */
  servers(options?: Pick<CallOptions, 'principal'>): readonly ServerSnapshot[];
  /** Returns a snapshot of one server. Throws `SERVER_UNKNOWN`. */
  server(name: string, options?: Pick<CallOptions, 'principal'>): ServerSnapshot;

  /**
   * Returns the tools that can be called now, or as soon as the host has connected their server for the call (a server that
   * is lazy, idle or connecting). Leaves out those of servers that are stopped, disabled, failed or waiting for a sign-in.
   * Does not wait for any server.
   *
   * With `principal`, returns what the servers list for this principal, which has a connection from the first call or
   * {@link start} with this `principal` until it was unused for `limits.principalIdleMs`; before, there are no tools.
   * @example
   * await host.start('notes', { principal: 'ann' });
   * const tools = host.tools({ principal: 'ann' });
   * await host.callTool({ server: 'notes', tool: 'list' }, {}, { principal: 'ann' });
   */
  tools(options?: Pick<CallOptions, 'principal'>): readonly Available<CatalogTool>[];
  /**
   * Returns one of the {@link tools}, or `undefined` if it is not among them. The time that it takes does not depend on how many
   * there are. Interceptors of `listTools` have changed it as they have changed the list.
   * @param ref The `server` and the `name` of an item of {@link tools}, as `{ server, tool }`.
   * @example
   * const digest = host.tool({ server: 'github', tool: 'create_issue' })?.digest;
   */
  tool(ref: ToolRef, options?: Pick<CallOptions, 'principal'>): Available<CatalogTool> | undefined;
  /** Returns the prompts that can be used, as {@link tools} does for tools. */
  prompts(options?: Pick<CallOptions, 'principal'>): readonly Available<CatalogPrompt>[];
  /** Returns the resources that can be read, as {@link tools} does for tools. */
  resources(options?: Pick<CallOptions, 'principal'>): readonly Available<CatalogResource>[];
  /** Returns the resource templates that can be used, as {@link tools} does for tools. */
  resourceTemplates(options?: Pick<CallOptions, 'principal'>): readonly Available<CatalogResourceTemplate>[];

  /**
   * Calls a tool. Connects its server first if necessary, as `delivery` of the host or the entry says. A tool that fails does not
   * reject: its result has `isError: true` and an explanation for the model.
   *
   * Rejects with `TOOL_UNKNOWN` if a connected server does not list the tool (see {@link CallToolOptions.unlisted}), `RPC_ERROR` if the server answers with an
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
    options?: CallToolOptions,
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
   * does. While the result of an earlier reading is fresh (its `ttlMs`) and the server has not reported a change, returns it
   * instead: to the same principal only, unless the server calls it public. A call with `meta` or `headers` always reads.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#reading-resources
   */
  readResource(ref: ResourceRef, options?: ReadOptions): Promise<ResourceResult>;
  /**
   * Suggests values for an argument of a prompt or a resource template. Rejects with `CAPABILITY_MISSING` if the server
   * offers no completions, and otherwise as {@link callTool} does.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
   */
  complete(ref: CompletionParams & { readonly server: string }, options?: CallOptions): Promise<Completion>;
  /**
   * Sends a request of any method, of an extension for example, and resolves with the result unchanged. It is never sent
   * twice.
   */
  request(
    ref: { readonly server: string; readonly method: string },
    params?: JSONRPCObject,
    options?: CallOptions,
  ): Promise<JSONRPCObject>;
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
   * reconnect. Rejects with `CAPABILITY_MISSING` if the server does not log. The revision 2026-07-28 deprecates log messages: stdio
   * servers write to stderr instead.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level
   */
  setLogLevel(server: string, level: LogLevel, options?: CallOptions): Promise<void>;

  /**
   * Connects a server, also one that has failed. Resolves when it is connected; rejects with the error of its last attempt,
   * or with `SERVER_DISABLED`.
   */
  start(server: string, options?: Pick<CallOptions, 'principal' | 'signal'>): Promise<void>;
  /**
   * Disconnects a server, also for all principals. It stays known, and is not reconnected until {@link start}; calls reject with
   * `TRANSPORT_CLOSED`. With `principal`, disconnects this principal only, until its next call.
   */
  stop(server: string, options?: Pick<CallOptions, 'principal'>): Promise<void>;
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
  signIn(server: string, options?: Pick<CallOptions, 'principal' | 'signal'>): Promise<void>;
  /** Revokes and forgets the credentials of a server, and disconnects it. With `principal`, those of this principal. */
  signOut(server: string, options?: Pick<CallOptions, 'principal'>): Promise<void>;

  /** Tells all connected servers that `callbacks.roots` returns other roots now. The revision 2026-07-28 deprecates roots. */
  rootsChanged(): Promise<void>;
  /** Returns totals over all servers, for a status line. */
  statistics(): {
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
  };

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
