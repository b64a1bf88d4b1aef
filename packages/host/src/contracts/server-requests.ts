import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';

export interface ServerRequestInfo {
  /** Name of the server that asks; show it to the person. */
  readonly server: string;
  /** Aborted when the server withdraws the question, the connection ends, or the deadline passes. */
  readonly signal: AbortSignal;
  /**
   * Requests of this host that the server has not answered yet: what it asks belongs to one of them. Empty when the
   * server asks on its own, which 2026-07-28 does not allow any more.
   */
  readonly calls: readonly CallInFlight[];
}

/** A request to a server that waits for its answer. */
export interface CallInFlight {
  /** `tools/call`, for example. */
  readonly method: string;
  /** Name of the tool or prompt, or the URI of the resource, where the method has one. */
  readonly target: string | undefined;
}

/**
 * A server asks the person for something. `form`: values after a flat JSON Schema. `url`: to visit a page; show it in
 * full, open it only after consent, never fetch it before. `warnings` are reasons to distrust it, for the person.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export type ElicitationRequest =
  | {
      readonly mode: 'form';
      readonly message: string;
      readonly schema: JSONRPCObject;
      readonly warnings: readonly string[];
    }
  | {
      readonly mode: 'url';
      readonly message: string;
      readonly url: string;
      readonly elicitationId?: string | undefined;
      readonly warnings: readonly string[];
    };

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> | undefined }
  | { readonly action: 'decline' | 'cancel' };

/** A directory or file that servers may work in; `uri` begins with `file://`. */
export interface Root {
  readonly uri: string;
  readonly name?: string | undefined;
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** A log message of a server. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly logger?: string | undefined;
  readonly data: unknown;
}

/**
 * What the host does for servers. Only what is present is declared as a capability. A callback that throws or misses
 * the deadline fails that one request of that one server.
 */
export interface HostCallbacks {
  /**
   * For `url`, answer `accept` when the person says that they are done. `context.signal` is aborted when the server says
   * so first; then the answer no longer matters.
   */
  readonly elicit?: (request: ElicitationRequest, context: ServerRequestInfo) => Promise<ElicitationAnswer>;
  /** What {@link elicit} can show. Only these are declared to servers. Default: `['form', 'url']`. */
  readonly elicitationModes?: readonly ElicitationRequest['mode'][] | undefined;
  /** `params` and the result are those of `sampling/createMessage`. */
  readonly sample?: (params: JSONRPCObject, context: ServerRequestInfo) => Promise<JSONRPCObject>;
  readonly roots?: (context: ServerRequestInfo) => Promise<readonly Root[]>;
  /** Runs before {@link elicit}; an answer that it gives is taken instead of asking. */
  readonly beforeElicitation?: (
    request: ElicitationRequest,
    context: ServerRequestInfo,
  ) => Promise<ElicitationAnswer | undefined>;
  /** Runs before the answer goes to the server; what it gives goes instead. */
  readonly afterElicitation?: (
    request: ElicitationRequest,
    answer: ElicitationAnswer,
    context: ServerRequestInfo,
  ) => Promise<ElicitationAnswer>;
}
