import type { Clock, JSONRPCObject, Transport } from '@mcp-fittings/client-core';
import type { ToolDefinition } from './catalog.js';
import type { Progress } from './content.js';
import type {
  CallInFlight,
  ServerRequestInfo,
  ElicitationAnswer,
  ElicitationRequest,
  HostCallbacks,
  LogEntry,
  LogLevel,
  Root,
} from './server-requests.js';

/**
 * Speaks MCP over a transport. A host has an engine of its own; those of `@mcp-fittings/engine-sdk` use an official SDK. Implement this
 * interface to use another protocol library, and test it with `engineSuite` of `@mcp-fittings/testkit/engine`.
 * @example
 * const engine: Engine = {
 *   specVersion: 1,
 *   name: 'my-engine',
 *   async connect(transport, options) {
 *     const session = await handshake(transport, options); // yours
 *     return session;
 *   },
 * };
 * const host = createHost({ name: 'my-agent', version: '1.0.0', engine, transports: [stdio()] });
 */
export interface Engine {
  /** Version of this interface. */
  readonly specVersion: 1;
  /** Name of the engine, for error messages. */
  readonly name: string;
  /**
   * Starts the transport and performs the handshake. Closes the transport before it rejects. Rejects with a `FittingsError`
   * (`TIMEOUT`, `ABORTED`, `RPC_ERROR`, `VERSION_UNSUPPORTED`, or the transport's own); an `AuthRequiredError` of the
   * transport is passed on unchanged, because the host asks the user to sign in because of it.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
   */
  connect(transport: Transport, options: EngineConnectOptions): Promise<EngineSession>;
}

/** Identifies a client to servers. */
export interface ClientIdentity {
  /** Name of your program. */
  readonly name: string;
  /** Version of your program. */
  readonly version: string;
  /** Title of your program, for display. Default: `name`. */
  readonly title?: string | undefined;
  /** Protocol extensions to declare: settings by the id of the extension. Default: none. */
  readonly extensions?: Readonly<Record<string, JSONRPCObject>> | undefined;
}

/** Options of {@link Engine.connect}. */
export interface EngineConnectOptions {
  /** Name of the server, for error messages. */
  readonly server: string;
  /** Identity of the host, for the server. */
  readonly client: ClientIdentity;
  /** Aborted when the host gives up the attempt. */
  readonly signal: AbortSignal;
  /** Longest time for the handshake, in milliseconds. */
  readonly timeoutMs: number;
  /** Answers requests of the server. Declare only the capabilities whose callback is present. */
  readonly callbacks: EngineCallbacks;
  /** Receives what the server sends on its own. */
  readonly events: EngineEvents;
  /** Clock for deadlines of requests. */
  readonly clock: Clock;
  /** {@link EngineSession.era} of an earlier connection to the same entry, so that no probe is needed. */
  readonly era?: ProtocolEra | undefined;
}

/** Callbacks with which an engine answers requests of a server. Each has a deadline and validates its result already. */
export interface EngineCallbacks {
  /** Answers `elicitation/create`. */
  readonly elicit?: (request: ElicitationRequest, info: EngineRequestInfo) => Promise<ElicitationAnswer>;
  /** Modes of elicitation to declare. Default: `['form', 'url']`. */
  readonly elicitationModes?: HostCallbacks['elicitationModes'];
  /** Answers `sampling/createMessage`. */
  readonly sample?: (params: JSONRPCObject, info: EngineRequestInfo) => Promise<JSONRPCObject>;
  /** Answers `roots/list`. */
  readonly roots?: (info: EngineRequestInfo) => Promise<readonly Root[]>;
}

/** Argument of an engine for a callback; abort `signal` when the server cancels its request or the connection ends. */
export interface EngineRequestInfo extends Pick<ServerRequestInfo, 'server' | 'signal'> {
  /**
   * {@link EngineRequestOptions.call} of the request whose result requires the input (revision 2026-07-28). Default: the
   * server's request may belong to any call.
   */
  readonly call?: CallInFlight | undefined;
}

/** Receives what a server sends on its own. The methods do not throw. */
export interface EngineEvents {
  /** Call it for `notifications/message`. */
  log(entry: LogEntry): void;
  /** Call it for `notifications/…/list_changed`. `resources` stands for resources and resource templates. */
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  /** Call it for `notifications/resources/updated`. */
  resourceUpdated(uri: string): void;
  /** Call it for each notification that the engine does not handle itself: of an extension or a vendor. */
  notification?(method: string, params: JSONRPCObject): void;
  /** Call it for a failure that belongs to no request. */
  error(error: Error): void;
  /** Call it once when an established connection has ended, for whatever reason. */
  closed(): void;
}

/** Handshake that a server needs. Plain JSON, so that it can be cached. */
export type ProtocolEra =
  /** The server needs `initialize`: revisions up to 2025-11-25. */
  | {
      readonly kind: 'initialize';
      /** The server did not answer the probe for the newer era, so the host does not cache this result. */
      readonly isGuess?: boolean | undefined;
    }
  /** The server is stateless: revision 2026-07-28. */
  | {
      readonly kind: 'stateless';
      /** The server's result of `server/discover`. */
      readonly discover: JSONRPCObject;
    };

/** Options of one request. */
export interface EngineRequestOptions {
  /** Aborting it cancels the request: it rejects with `ABORTED`, and the server is sent `notifications/cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time without a response or progress, in milliseconds; then the request rejects with `TIMEOUT`. */
  readonly timeoutMs: number;
  /** Longest time in all, regardless of progress, in milliseconds. Default: unlimited. */
  readonly maxTotalMs?: number | undefined;
  /** Called with each progress notification for this request. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** HTTP headers of the request: `headers` of the options of `transport.send()`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The tool that `tools/call` calls, as the server listed it. Default: the server did not list it. */
  readonly definition?: ToolDefinition | undefined;
  /** The call of the host that the request carries out, for {@link EngineRequestInfo.call}. Default: none. */
  readonly call?: CallInFlight | undefined;
}

/** Name and version of a server's program, as it states them. */
export interface ServerIdentity {
  /** Name of the program. */
  readonly name: string;
  /** Version of the program. */
  readonly version: string;
  /** Title for display. */
  readonly title?: string | undefined;
}

/**
 * An established connection. `request` and `notify` reject with a `FittingsError` that has a `delivery`: `RPC_ERROR` for an error
 * response, `TIMEOUT`, `ABORTED`, `CAPABILITY_MISSING` for a method that the revision does not have, or the code of the lost
 * connection. The host checks capabilities, reads lists page by page, and validates results.
 */
export interface EngineSession {
  /** Negotiated protocol revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Handshake that the server needs, for the next connection to the same entry. */
  readonly era: ProtocolEra;
  /** Name and version of the server's program; for display only. */
  readonly serverInfo: ServerIdentity | undefined;
  /** Instructions for the model, if the server sent any. */
  readonly instructions: string | undefined;
  /** Capabilities as the server declared them. */
  readonly capabilities: JSONRPCObject;
  /** Sends a request of any method, and resolves with its result as the server sent it. */
  request(method: string, params: JSONRPCObject, options: EngineRequestOptions): Promise<JSONRPCObject>;
  /** Sends a notification of any method; resolves when the transport has sent it. */
  notify(
    method: string,
    params: JSONRPCObject,
    options?: Pick<EngineRequestOptions, 'headers'>,
  ): Promise<void>;
  /** Closes the session and its transport. Open requests reject; {@link EngineEvents.closed} is called. */
  close(): Promise<void>;
  /** Returns why a tool cannot be used on this connection, as the end of a sentence. Default: every tool can be used. */
  unusable?(tool: JSONRPCObject): string | undefined;
  /**
   * Subscribes to updates of a resource; they arrive as {@link EngineEvents.resourceUpdated}. Default: the host sends
   * `resources/subscribe`, which revision 2026-07-28 does not have.
   */
  subscribe?(uri: string): Promise<void>;
  /** Cancels a subscription. Default: the host sends `resources/unsubscribe`. */
  unsubscribe?(uri: string): Promise<void>;
  /** Sets the lowest level at which the server logs. Default: the host sends `logging/setLevel`. */
  setLogLevel?(level: LogLevel): Promise<void>;
}

/**
 * Parameters of `completion/complete`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
 */
export interface CompletionParams {
  /** Owner of the argument: a prompt by its name, or a resource template by its `uriTemplate`. */
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  /** The argument to complete: its name, and what the user has typed so far. */
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of other arguments that the user has entered already. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}
