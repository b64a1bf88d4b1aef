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
  readonly [Name in keyof InterceptedOperations]?:
    | ((
        request: InterceptedRequest<Name>,
        next: (request: InterceptedRequest<Name>) => Promise<InterceptedOperations[Name]['result']>,
      ) => Promise<InterceptedOperations[Name]['result']>)
    | undefined;
};

/** The request of an operation that an {@link Interceptor} surrounds; of any, if it is not named. `operation` tells them apart. */
export type InterceptedRequest<Name extends keyof InterceptedOperations = keyof InterceptedOperations> = {
  [Each in Name]: InterceptedOperations[Each]['request'] & {
    /** Discriminates the requests. */
    readonly operation: Each;
    /** Name of the server in this host. */
    readonly server: string;
    /** Aborted when the caller gives up, or when the time of the operation has passed. */
    readonly signal: AbortSignal;
  };
}[Name];

/**
 * The operations that are intercepted: what their requests have besides the members of all of them, and their results. A request that a
 * caller makes has its `options`, whose changes take effect; one of a server has the `calls` of this host that it has not answered yet.
 */
export interface InterceptedOperations {
  /** The attempt with this number, from 1, to connect a server. It can be refused, and neither changed nor answered. */
  readonly connect: { readonly request: { readonly attempt: number }; readonly result: ConnectionInfo };
  /** One reading of the tools of a server. Entries that were changed are what the host knows: digests cover the changed entries. */
  readonly listTools: { readonly request: object; readonly result: ListResult<'tools'> };
  /** One reading of the prompts of a server. */
  readonly listPrompts: { readonly request: object; readonly result: ListResult<'prompts'> };
  /** One reading of the resources of a server. */
  readonly listResources: { readonly request: object; readonly result: ListResult<'resources'> };
  /** One reading of the resource templates of a server. */
  readonly listResourceTemplates: {
    readonly request: object;
    readonly result: ListResult<'resourceTemplates'>;
  };
  /** `host.callTool()`. */
  readonly callTool: {
    readonly request: {
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly options: CallOptions;
    };
    readonly result: ToolResult;
  };
  /** `host.getPrompt()`. */
  readonly getPrompt: {
    readonly request: {
      readonly prompt: string;
      readonly args: Readonly<Record<string, string>>;
      readonly options: CallOptions;
    };
    readonly result: PromptResult;
  };
  /** `host.readResource()`. */
  readonly readResource: {
    readonly request: { readonly uri: string; readonly options: CallOptions };
    readonly result: ResourceResult;
  };
  /** `host.complete()`. */
  readonly complete: {
    readonly request: { readonly params: CompletionParams; readonly options: CallOptions };
    readonly result: Completion;
  };
  /** `host.request()`. */
  readonly request: {
    readonly request: {
      readonly method: string;
      readonly params: JSONRPCObject;
      readonly options: CallOptions;
    };
    readonly result: JSONRPCObject;
  };
  /** `host.notify()`. */
  readonly notify: {
    readonly request: {
      readonly method: string;
      readonly params: JSONRPCObject;
      readonly options: CallOptions;
    };
    readonly result: undefined;
  };
  /** `host.subscribe()`. */
  readonly subscribe: {
    readonly request: { readonly uri: string; readonly options: CallOptions };
    readonly result: undefined;
  };
  /** `host.unsubscribe()`. */
  readonly unsubscribe: {
    readonly request: { readonly uri: string; readonly options: CallOptions };
    readonly result: undefined;
  };
  /** `host.setLogLevel()`. */
  readonly setLogLevel: {
    readonly request: { readonly level: LogLevel; readonly options: CallOptions };
    readonly result: undefined;
  };
  /**
   * `elicitation/create` of a server. The host validates the result as an answer of `callbacks.elicit`.
   */
  readonly elicit: {
    readonly request: { readonly request: ElicitationRequest; readonly calls: readonly CallInFlight[] };
    readonly result: ElicitationAnswer;
  };
  /** `sampling/createMessage` of a server, with its parameters. */
  readonly sample: {
    readonly request: { readonly params: JSONRPCObject; readonly calls: readonly CallInFlight[] };
    readonly result: JSONRPCObject;
  };
  /** `roots/list` of a server. */
  readonly roots: {
    readonly request: { readonly calls: readonly CallInFlight[] };
    readonly result: readonly Root[];
  };
}
