import type { JSONRPCObject } from '@mcp-fittings/client-core';
import type { Completion, PromptResult, ResourceResult, ToolResult } from './content.js';
import type { ListResult } from './catalog.js';
import type { CompletionParams } from './engine.js';
import type { CallOptions } from './host.js';
import type {
  CallInFlight,
  ElicitationAnswer,
  ElicitationRequest,
  LogLevel,
  Root,
} from './server-requests.js';
import type { ConnectionInfo } from './state.js';

/**
 * Surrounds operations of a host, see `HostOptions.intercept`: a function for all operations, or an object with a function for each
 * operation that it concerns. Call `next(request)` to continue, with the request as it came or a changed copy. To refuse, throw,
 * for example a `FittingsError` with the code `POLICY_DENIED`. `next` may be called once, and `operation` and `server` of the request
 * cannot be changed.
 *
 * An interceptor that throws, or that holds a request for longer than its deadline, fails that one operation. The error has the
 * `delivery` that is true: `not-sent` if nothing was sent.
 */
export type Interceptor = InterceptorFunction | InterceptorHandlers;

/**
 * Surrounds every operation. It may change requests and refuse them. It returns what `next` returned, because the type of a
 * result depends on the operation; use {@link InterceptorHandlers} to change results or to answer.
 * @example
 * const audit: InterceptorFunction = async (request, next) => {
 *   const result = await next(request);
 *   console.log(request.operation, request.server);
 *   return result;
 * };
 * const host = createHost({ name, version, transports, intercept: [audit] });
 */
export type InterceptorFunction = <Result>(
  request: InterceptedRequest,
  next: (request: InterceptedRequest) => Promise<Result>,
) => Promise<Result>;

/**
 * Surrounds some operations, each with a function of its own. It returns the result of `next`, a changed copy of it, or an
 * answer of its own without calling `next`.
 * @example
 * const redact: InterceptorHandlers = {
 *   async readResource(request, next) {
 *     const result = await next(request);
 *     return { ...result, contents: result.contents.map(withoutSecrets) };
 *   },
 * };
 */
export type InterceptorHandlers = {
  readonly [Operation in InterceptedOperation]?:
    | ((
        request: InterceptedRequests[Operation],
        next: (request: InterceptedRequests[Operation]) => Promise<InterceptedResults[Operation]>,
      ) => Promise<InterceptedResults[Operation]>)
    | undefined;
};

/** An operation that an {@link Interceptor} surrounds. `operation` tells the members apart. */
export type InterceptedRequest = InterceptedRequests[InterceptedOperation];

/** Name of an operation that is intercepted. */
export type InterceptedOperation = keyof InterceptedRequests;

/** Request of each operation. */
export interface InterceptedRequests {
  /** One attempt to connect a server. */
  readonly connect: InterceptedConnect;
  /** One reading of the tools of a server. */
  readonly listTools: InterceptedList<'listTools'>;
  /** One reading of the prompts of a server. */
  readonly listPrompts: InterceptedList<'listPrompts'>;
  /** One reading of the resources of a server. */
  readonly listResources: InterceptedList<'listResources'>;
  /** One reading of the resource templates of a server. */
  readonly listResourceTemplates: InterceptedList<'listResourceTemplates'>;
  /** `host.callTool()`. */
  readonly callTool: InterceptedToolCall;
  /** `host.getPrompt()`. */
  readonly getPrompt: InterceptedPrompt;
  /** `host.readResource()`. */
  readonly readResource: InterceptedRead;
  /** `host.complete()`. */
  readonly complete: InterceptedCompletion;
  /** `host.request()`. */
  readonly request: InterceptedCustomRequest<'request'>;
  /** `host.notify()`. */
  readonly notify: InterceptedCustomRequest<'notify'>;
  /** `host.subscribe()`. */
  readonly subscribe: InterceptedSubscription<'subscribe'>;
  /** `host.unsubscribe()`. */
  readonly unsubscribe: InterceptedSubscription<'unsubscribe'>;
  /** `host.setLogLevel()`. */
  readonly setLogLevel: InterceptedLogLevel;
  /** `elicitation/create` of a server. */
  readonly elicit: InterceptedElicitation;
  /** `sampling/createMessage` of a server. */
  readonly sample: InterceptedSampling;
  /** `roots/list` of a server. */
  readonly roots: InterceptedRoots;
}

/** Result of each operation. */
export interface InterceptedResults {
  /** For information: the result of the interceptor is ignored. */
  readonly connect: ConnectionInfo;
  /** The tools of a server; a host does not know those that are left out. */
  readonly listTools: ListResult<'tools'>;
  /** The prompts of a server. */
  readonly listPrompts: ListResult<'prompts'>;
  /** The resources of a server. */
  readonly listResources: ListResult<'resources'>;
  /** The resource templates of a server. */
  readonly listResourceTemplates: ListResult<'resourceTemplates'>;
  /** Result of `host.callTool()`. */
  readonly callTool: ToolResult;
  /** Result of `host.getPrompt()`. */
  readonly getPrompt: PromptResult;
  /** Result of `host.readResource()`. */
  readonly readResource: ResourceResult;
  /** Result of `host.complete()`. */
  readonly complete: Completion;
  /** Result of `host.request()`. */
  readonly request: JSONRPCObject;
  /** `host.notify()` has no result. */
  readonly notify: undefined;
  /** `host.subscribe()` has no result. */
  readonly subscribe: undefined;
  /** `host.unsubscribe()` has no result. */
  readonly unsubscribe: undefined;
  /** `host.setLogLevel()` has no result. */
  readonly setLogLevel: undefined;
  /** Answer to a server. The host validates it as an answer of `callbacks.elicit`. */
  readonly elicit: ElicitationAnswer;
  /** Result of `sampling/createMessage`. */
  readonly sample: JSONRPCObject;
  /** Roots for a server. */
  readonly roots: readonly Root[];
}

/** Members of every intercepted request. */
export interface InterceptedRequestBase {
  /** Name of the server in this host. */
  readonly server: string;
  /** Aborted when the caller gives up, or when the time of the operation has passed. */
  readonly signal: AbortSignal;
}

/** One attempt to connect a server. It can be refused, and neither changed nor answered. */
export interface InterceptedConnect extends InterceptedRequestBase {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'connect';
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** One reading of one list of a server. Entries that were changed are what the host knows: digests cover the changed entries. */
export interface InterceptedList<
  Operation extends 'listTools' | 'listPrompts' | 'listResources' | 'listResourceTemplates',
> extends InterceptedRequestBase {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: Operation;
}

/** Members of the requests that a caller of the host makes. */
export interface InterceptedCall extends InterceptedRequestBase {
  /** Options as the caller gave them. Changes take effect. */
  readonly options: CallOptions;
}

/** `host.callTool()`. */
export interface InterceptedToolCall extends InterceptedCall {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'callTool';
  /** Name of the tool. */
  readonly tool: string;
  /** Arguments of the tool. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** `host.getPrompt()`. */
export interface InterceptedPrompt extends InterceptedCall {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'getPrompt';
  /** Name of the prompt. */
  readonly prompt: string;
  /** Arguments of the prompt. */
  readonly args: Readonly<Record<string, string>>;
}

/** `host.readResource()`. */
export interface InterceptedRead extends InterceptedCall {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'readResource';
  /** URI of the resource. */
  readonly uri: string;
}

/** `host.complete()`. */
export interface InterceptedCompletion extends InterceptedCall {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'complete';
  /** What to complete. */
  readonly params: CompletionParams;
}

/** `host.request()` or `host.notify()`. */
export interface InterceptedCustomRequest<Operation extends 'request' | 'notify'> extends InterceptedCall {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: Operation;
  /** JSON-RPC method. */
  readonly method: string;
  /** Parameters of the method. */
  readonly params: JSONRPCObject;
}

/** `host.subscribe()` or `host.unsubscribe()`. */
export interface InterceptedSubscription<
  Operation extends 'subscribe' | 'unsubscribe',
> extends InterceptedCall {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: Operation;
  /** URI of the resource. */
  readonly uri: string;
}

/** `host.setLogLevel()`. */
export interface InterceptedLogLevel extends InterceptedCall {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'setLogLevel';
  /** Lowest level at which the server logs. */
  readonly level: LogLevel;
}

/** Members of the requests that a server makes. */
export interface InterceptedServerRequest extends InterceptedRequestBase {
  /** Requests of this host that the server has not answered yet. */
  readonly calls: readonly CallInFlight[];
}

/** `elicitation/create` of a server, unless `callbacks.beforeElicitation` has answered it. */
export interface InterceptedElicitation extends InterceptedServerRequest {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'elicit';
  /** What the server asks. */
  readonly request: ElicitationRequest;
}

/** `sampling/createMessage` of a server. */
export interface InterceptedSampling extends InterceptedServerRequest {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'sample';
  /** Parameters of the request. */
  readonly params: JSONRPCObject;
}

/** `roots/list` of a server. */
export interface InterceptedRoots extends InterceptedServerRequest {
  /** Discriminates {@link InterceptedRequest}. */
  readonly operation: 'roots';
}
