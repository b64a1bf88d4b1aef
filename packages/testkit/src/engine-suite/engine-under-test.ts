import type { Clock, JSONRPCObject, Transport } from '@mcp-fittings/client-core';

/**
 * The members of `Engine` of `@mcp-fittings/host` that the suite uses. The kit does not depend on the host, so it repeats
 * them; every `Engine` is assignable to this type.
 */
export interface EngineUnderTest {
  /** Name of the engine, for error messages. */
  readonly name: string;
  /** Starts the transport and performs the handshake. Closes the transport before it rejects. */
  connect(transport: Transport, options: EngineConnectInput): Promise<SessionUnderTest>;
}

/** Argument of {@link EngineUnderTest.connect}. */
export interface EngineConnectInput {
  /** Name of the server, for error messages. */
  readonly server: string;
  /** Name and version of the host, for the server. */
  readonly client: { readonly name: string; readonly version: string };
  /** Aborted by the case about giving up an attempt. */
  readonly signal: AbortSignal;
  /** Longest time for the handshake, in milliseconds. */
  readonly timeoutMs: number;
  /** Callbacks of the host for requests of the server, with fixed answers; empty unless a case is about them. */
  readonly callbacks: {
    /** Answers `elicitation/create`. */
    readonly elicit?: () => Promise<{ readonly action: 'accept'; readonly content: Record<string, unknown> }>;
    /** Answers `sampling/createMessage`. */
    readonly sample?: (params: JSONRPCObject) => Promise<JSONRPCObject>;
    /** Answers `roots/list`. */
    readonly roots?: () => Promise<readonly { readonly uri: string }[]>;
  };
  /** Records what the engine reports, as `EngineEvents` of `@mcp-fittings/host`. */
  readonly events: {
    /** Call it for `notifications/message`. */
    log(entry: {
      readonly level: string;
      readonly logger?: string | undefined;
      readonly data: unknown;
    }): void;
    /** Call it for `notifications/…/list_changed`. */
    listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
    /** Call it for `notifications/resources/updated`. */
    resourceUpdated(uri: string): void;
    /** Call it for each notification that the engine does not handle itself. */
    notification(method: string, params: JSONRPCObject): void;
    /** Call it for a failure that belongs to no request. The suite ignores it. */
    error(error: Error): void;
    /** Call it once when an established connection has ended. */
    closed(): void;
  };
  /** Clock for deadlines of requests; a manual one in the cases about them. */
  readonly clock: Clock;
}

/** Options of one request, as `EngineRequestOptions` of `@mcp-fittings/host`. */
export interface EngineRequestInput {
  /** Cancels the request. */
  readonly signal?: AbortSignal;
  /** Longest time without a response or progress, in milliseconds. */
  readonly timeoutMs: number;
  /** Called with each progress notification for the request. */
  readonly onProgress?: (progress: { readonly progress: number }) => void;
  /** HTTP headers of the request, for `send()` of the transport. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The members of `EngineSession` of `@mcp-fittings/host` that the suite uses. */
export interface SessionUnderTest {
  /** Negotiated protocol revision. */
  readonly protocolVersion: string;
  /** Name and version of the server's program. */
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** Instructions of the server for the model. */
  readonly instructions: string | undefined;
  /** Capabilities as the server declared them. */
  readonly capabilities: JSONRPCObject;
  /** Sends a request, and resolves with its result as the server sent it. */
  request(method: string, params: JSONRPCObject, options: EngineRequestInput): Promise<JSONRPCObject>;
  /** Closes the session and its transport. */
  close(): Promise<void>;
}

/** Options of `engineSuite()`. */
export interface EngineSuiteOptions {
  /** Name of the engine, for the report. */
  readonly name: string;
  /** Features of the engine beyond the minimum. They decide which cases exist; none is skipped. Default: everything. */
  readonly capabilities?:
    | {
        /** Answers `elicitation/create`, `sampling/createMessage` and `roots/list` with the callbacks. Default `true`. */
        readonly serverRequests?: boolean | undefined;
        /** Reports progress, and restarts the deadline of a request with it. Default `true`. */
        readonly progress?: boolean | undefined;
      }
    | undefined;
  /** Returns the engine under test; called once for each connection. */
  readonly engine: () => EngineUnderTest;
  /** Longest time of any one step of a case, in milliseconds. Default 10 000. */
  readonly deadlineMs?: number | undefined;
}
