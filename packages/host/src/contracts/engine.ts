import type { Clock } from '@mcp-fittings/client-core';
import type { JSONRPCMessage, JSONRPCObject, Transport } from '@mcp-fittings/client-core/transport';
import type { ListKind, Listings, ToolDefinition } from './catalog.js';
import type { Completion, Progress, PromptResult, ResourceResult, ToolResult } from './content.js';
import type {
  ServerRequestInfo,
  ElicitationAnswer,
  ElicitationRequest,
  HostCallbacks,
  LogEntry,
  LogLevel,
  Root,
} from './server-requests.js';

/**
 * Speaks the protocol over a transport. An engine wraps one official SDK; the host never imports an SDK itself, so
 * only the one in use needs to be installed.
 */
export interface Engine {
  /** Version of this contract. */
  readonly specVersion: 1;
  /** For messages. */
  readonly name: string;
  /**
   * Starts the transport and does the handshake. When it rejects, it has closed the transport. Rejects with a
   * `FittingsError`; an `AuthRequiredError` comes through as it is.
   */
  connect(transport: Transport, options: EngineConnectOptions): Promise<EngineSession>;
}

/** What an engine connects with. */
export interface EngineConnectOptions {
  /** Name of the server, for messages. */
  readonly server: string;
  /** Aborted when the host gives up the attempt. */
  readonly signal: AbortSignal;
  /** Milliseconds for the handshake. */
  readonly timeoutMs: number;
  /** What the host does for the server; declare only what is present. */
  readonly callbacks: EngineCallbacks;
  readonly events: EngineEvents;
  /** For deadlines of requests. */
  readonly clock: Clock;
  /** Adds an observer to the transport; call it before the transport is started. */
  observe(observer: TransportObserver): void;
  /** What an earlier connection to the same entry found, so that no probe is needed. */
  readonly era?: ProtocolEra | undefined;
}

/** Sees what passes between an engine and its transport. Its methods must not throw. */
export interface TransportObserver {
  /** The transport is open. */
  started?(): void;
  /** The engine sends a message; the transport gets it next. */
  sending?(message: JSONRPCMessage): void;
  /** The transport could not send the message, or no answer to this request can come any more. */
  sendFailed?(message: JSONRPCMessage, error: unknown): void;
  /** The server has sent a message. Returns what the engine gets of it; undefined: nothing. */
  received?(message: JSONRPCMessage): JSONRPCMessage | undefined;
  /** The engine tells the transport which protocol revision was negotiated. */
  negotiated?(version: string): void;
}

/** The callbacks of the host as an engine calls them, without the hooks that the host runs itself. */
export interface EngineCallbacks {
  readonly elicit?: (request: ElicitationRequest, context: EngineRequestInfo) => Promise<ElicitationAnswer>;
  readonly elicitationModes?: HostCallbacks['elicitationModes'];
  readonly sample?: (params: JSONRPCObject, context: EngineRequestInfo) => Promise<JSONRPCObject>;
  readonly roots?: (context: EngineRequestInfo) => Promise<readonly Root[]>;
}

/** What the engine knows of a request of the server; the host adds the rest. */
export type EngineRequestInfo = Pick<ServerRequestInfo, 'server' | 'signal'>;

/** Told by the engine; they must not throw. */
export interface EngineEvents {
  log(entry: LogEntry): void;
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  resourceUpdated(uri: string): void;
  /** A notification that the engine does not handle itself: of an extension, or of the server's vendor. */
  notification?(method: string, params: JSONRPCObject): void;
  /** Something went wrong outside of a request. */
  error(error: Error): void;
  /** The connection ended, whoever ended it. */
  closed(): void;
}

/** Which handshake a server needs; plain JSON, so that it can be kept. */
export type ProtocolEra =
  | {
      readonly kind: 'initialize';
      /** The server only stayed silent when it was asked for the newer era; not to be kept. */
      readonly isGuess?: boolean | undefined;
    }
  | { readonly kind: 'stateless'; readonly discover: JSONRPCObject };

/** How one request is sent. */
export interface EngineRequestOptions {
  /** Aborting it cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without an answer or progress. */
  readonly timeoutMs: number;
  /** Milliseconds in all, however much progress there is. */
  readonly maxTotalMs?: number | undefined;
  /** Told of the progress that the server reports. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Added to `_meta` of the request. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** How one list is read. */
export interface ListOptions extends EngineRequestOptions {
  /** Pages that are asked for. */
  readonly maxPages: number;
  /** Entries that are kept. */
  readonly maxItems: number;
  /** Bytes that the lists of all servers may take together; what does not fit is left out. */
  readonly budget?: ListBudget | undefined;
}

/** Shared by all servers of a host. */
export interface ListBudget {
  /** Takes so many bytes; false, and nothing is taken: they are not there. */
  take(bytes: number): boolean;
  /** Frees what was taken. */
  giveBack(bytes: number): void;
}

/** One list of a server, read to its end or to a limit. */
export interface ListResult<Kind extends ListKind> {
  /** The entries that can be used. */
  readonly items: readonly Listings[Kind][];
  /** Why entries were left out: they are malformed or over a limit. */
  readonly skipped: readonly string[];
  /** Every page was called `public`, or there was none: the list is the same for everybody. Default false. */
  readonly isPublic?: boolean | undefined;
  /** Milliseconds for which the server calls the list fresh. */
  readonly ttlMs?: number | undefined;
  /** What `items` took of the budget. Default 0. */
  readonly bytes?: number | undefined;
}

/** What a server calls itself. */
export interface ServerIdentity {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
}

/** A connection whose handshake is done. Every method rejects with a `FittingsError` that has a `delivery`. */
export interface EngineSession {
  /** Negotiated protocol revision. */
  readonly protocolVersion: string;
  /** What the handshake found, for the next connection to the same entry. */
  readonly era: ProtocolEra;
  /** As the server calls itself: for display only. */
  readonly serverInfo: ServerIdentity | undefined;
  readonly instructions: string | undefined;
  /** As the server declared them. */
  readonly capabilities: JSONRPCObject;
  /** Reads a list, page by page. A kind that the server does not declare is empty. */
  list<Kind extends ListKind>(kind: Kind, options: ListOptions): Promise<ListResult<Kind>>;
  /** Calls a tool; `definition` is what the server listed of it, if anything. */
  callTool(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: EngineRequestOptions & { readonly definition?: ToolDefinition | undefined },
  ): Promise<ToolResult>;
  /** Fills in a prompt. */
  getPrompt(
    prompt: string,
    args: Readonly<Record<string, string>>,
    options: EngineRequestOptions,
  ): Promise<PromptResult>;
  /** Reads a resource. */
  readResource(uri: string, options: EngineRequestOptions): Promise<ResourceResult>;
  /** Asks for values of an argument. */
  complete(params: CompletionParams, options: EngineRequestOptions): Promise<Completion>;
  /** Asks to be told when a resource changes. */
  subscribe(uri: string, options: EngineRequestOptions): Promise<void>;
  /** Takes {@link subscribe} back. */
  unsubscribe(uri: string, options: EngineRequestOptions): Promise<void>;
  /** Sets the least level of what the server logs. */
  setLogLevel(level: LogLevel, options: EngineRequestOptions): Promise<void>;
  /** Any other method, of an extension for example; the result is passed on as it is. */
  request(method: string, params: JSONRPCObject, options: EngineRequestOptions): Promise<JSONRPCObject>;
  /** Sends a notification of any method; resolves when the wire took it. */
  notify(method: string, params: JSONRPCObject): Promise<void>;
  /** One cheap round trip: `ping`, or `server/discover` where there is no ping. */
  ping(options: EngineRequestOptions): Promise<void>;
  /** Tells the server that the roots are others now; nothing where the protocol has no such message. */
  rootsChanged(): Promise<void>;
  /** Closes the session and its transport. */
  close(): Promise<void>;
}

/** What to complete: an argument of a prompt or of a resource template. */
export interface CompletionParams {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that are decided already. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}
