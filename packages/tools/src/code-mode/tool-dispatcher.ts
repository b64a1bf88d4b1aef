import { type Delivery, type ErrorCode, FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { didYouMean, sanitizeText, truncateText } from '@mcp-fittings/toolbox/text';
import type { ToolRef, ToolResult } from '@mcp-fittings/host';
import type { LastToolEvent, Toolset } from '../calls/toolset.js';
import type { ModelTool } from '../model-tools/model-tool.js';

/** Options of one call of a {@link ToolDispatcher}. */
export interface DispatchOptions {
  /** Aborts the call: it fails with `ABORTED`, and the server is told. Default none. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
}

/** The reply to the request of a sandbox: a result or an error, as plain data. */
export type ToolReply =
  | {
      /** The structured content of a tool with an output schema, and the whole result of any other. */
      readonly result: unknown;
      /** Undefined. */
      readonly error?: undefined;
    }
  | {
      /** Describes why the call failed. */
      readonly error: {
        /** Code of the error. */
        readonly code: ErrorCode;
        /** For people and models; may change. */
        readonly message: string;
        /** Tells what can be done about it. Default none. */
        readonly hint?: string | undefined;
        /** Tells whether the call may have reached the server. Undefined if it does not matter. */
        readonly delivery?: Delivery | undefined;
        /** Name of the server. Default none. */
        readonly server?: string | undefined;
      };
      /** Undefined. */
      readonly result?: undefined;
    };

/** Calls tools for code that a model wrote. Each call passes the policy, the confirmation and the check of arguments. */
export interface ToolDispatcher {
  /**
   * Calls a tool. Resolves with the structured content of a tool with an output schema, and with the whole result of any other.
   * @param server Name of the server in the host.
   * @param tool Name of the tool on its server.
   * @param args The arguments, with the names of the server's schema. Default: none.
   * @throws {FittingsError} `TOOL_FAILED` if the tool reports an error, `PROTOCOL_VIOLATION` if structured content is missing, and
   * the errors of {@link Toolset.run}. `delivery` says whether the call may have reached the server.
   */
  call(server: string, tool: string, args?: unknown, options?: DispatchOptions): Promise<unknown>;
  /**
   * Answers a request that came over a channel from a sandbox, `{ server, tool, args }`. Does not reject; the reply is plain data.
   */
  respond(request: unknown, options?: DispatchOptions): Promise<ToolReply>;
}

const DEFAULT_MAX_PENDING = 100;

/**
 * Creates the function that code in a sandbox calls tools with. It executes no code.
 * @param tools A toolset, so that names mean the tools that the model was shown; or what `createTools` returns, for the tools that
 * the host has at the time of each call.
 * @example
 * ```ts
 * const dispatcher = createToolDispatcher(tools.snapshot());
 * const sum = await dispatcher.call('demo', 'get-sum', { a: 2, b: 3 });
 * // In a worker: port.on('message', async ({ id, ...request }) =>
 * //   port.postMessage({ id, ...(await dispatcher.respond(request)) }));
 * ```
 */
export function createToolDispatcher(
  tools: Toolset | { snapshot(): Toolset },
  options: {
    /** Aborts all calls, for example when the sandbox is terminated. Default none. */
    readonly signal?: AbortSignal | undefined;
    /** Most calls at the same time. A further call fails with `POLICY_DENIED`, which is `retryable`. Default 100. */
    readonly maxPending?: number | undefined;
    /** Called with the outcome of each call, for a log. What it throws is ignored. Default none. */
    readonly onOutcome?: ((ref: ToolRef, outcome: LastToolEvent) => void) | undefined;
  } = {},
): ToolDispatcher {
  const { maxPending = DEFAULT_MAX_PENDING, onOutcome } = options;
  let pending = 0;

  const call: ToolDispatcher['call'] = async (server, tool, args, { signal, timeoutMs } = {}) => {
    if (pending >= maxPending) throw tooManyCalls(server, maxPending);
    pending++;
    try {
      const toolset = 'snapshot' in tools ? tools.snapshot() : tools;
      const name = nameIn(toolset, { server, tool });
      const signals = [options.signal, signal].filter((each) => each !== undefined);
      const outcome = await toolset.run(name, args, {
        originalNames: true,
        ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
        timeoutMs,
      });
      observe(onOutcome, { server, tool }, outcome);
      if (outcome.type === 'error') throw outcome.error;
      if (outcome.result.isError === true) throw toolFailed({ server, tool }, outcome.rendering.text);
      return valueOf({ server, tool }, outcome.result, isStructured(toolset, name));
    } finally {
      pending--;
    }
  };

  return {
    call,
    async respond(request, callOptions) {
      try {
        const { server, tool, args } = readRequest(request);
        return { result: await call(server, tool, args, callOptions) };
      } catch (error) {
        return { error: errorData(error) };
      }
    },
  };
}

const isStructured = (toolset: Toolset, name: string): boolean =>
  serverTools(toolset).find((tool) => tool.name === name)?.definition.outputSchema !== undefined;

function observe(
  onOutcome: ((ref: ToolRef, outcome: LastToolEvent) => void) | undefined,
  ref: ToolRef,
  outcome: LastToolEvent,
): void {
  try {
    onOutcome?.(ref, outcome);
  } catch {
    // The call has been made. A log that fails does not change its result.
  }
}

function nameIn({ names, skipped }: Toolset, ref: ToolRef): string {
  const { server, tool } = ref;
  const name = names.nameOf(ref);
  if (name !== undefined) return name;
  const refused = skipped.find((each) => each.ref.server === server && each.ref.tool === tool);
  if (refused !== undefined) throw refused.error;
  const known = Array.from(names.entries(), ([, each]) => each);
  const onServer = known.filter((each) => each.server === server).map((each) => each.tool);
  const [message, wanted, candidates] =
    onServer.length > 0
      ? [`The server "${show(server)}" has no tool named "${show(tool)}".`, tool, onServer]
      : [`There is no server named "${show(server)}".`, server, known.map((each) => each.server)];
  const hint = didYouMean(wanted, new Set(candidates.map(show)), '') || undefined;
  throw new FittingsError('TOOL_UNKNOWN', message, { delivery: 'not-sent', hint });
}

const show = (text: string): string => sanitizeText(text, { maxLength: 128 });

function readRequest(request: unknown): ToolRef & { readonly args: unknown } {
  if (isRecord(request)) {
    const { server, tool, args } = request;
    if (typeof server === 'string' && typeof tool === 'string') return { server, tool, args };
  }
  throw new FittingsError('ARGUMENTS_INVALID', 'The request does not name a server and a tool.', {
    delivery: 'not-sent',
    hint: 'Send { server, tool, args }.',
  });
}

function errorData(error: unknown): NonNullable<ToolReply['error']> {
  if (!(error instanceof FittingsError))
    return {
      code: 'CALLBACK_FAILED',
      message: 'The call failed with an unexpected error in the host program.',
    };
  const { code, message, hint, delivery, server } = error;
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(delivery !== undefined && { delivery }),
    ...(server !== undefined && { server }),
  };
}

function tooManyCalls(server: string, maxPending: number): FittingsError {
  return new FittingsError('POLICY_DENIED', `${maxPending} calls of tools are under way already.`, {
    server,
    delivery: 'not-sent',
    retryable: true,
    hint: 'Wait for a result before the next call.',
  });
}

/**
 * Returns the tools of servers, with those that the model has to search for, because code needs no search. The tools of this package,
 * such as `read_result`, have no server.
 */
export function serverTools({ tools, deferred }: Toolset): readonly ModelTool[] {
  const all = [...deferred, ...tools].filter(({ ref }) => ref.server !== '');
  return [...new Map(all.map((tool) => [tool.name, tool])).values()];
}

const MAX_MESSAGE = 4_000;

/**
 * Returns what a function returns for a result: the structured content of a tool with an output schema, and the whole result of
 * any other.
 */
export function valueOf({ server, tool }: ToolRef, result: ToolResult, structured: boolean): unknown {
  if (!structured) return result;
  if (result.structuredContent !== undefined) return result.structuredContent;
  throw new FittingsError(
    'PROTOCOL_VIOLATION',
    `The tool "${show(tool)}" has an output schema but returned no structured content.`,
    { server, delivery: 'unknown', hint: 'The call has been made. Report this to the author of the server.' },
  );
}

/** @param text What the result says, free of control sequences. */
export function toolFailed({ server, tool }: ToolRef, text: string): FittingsError {
  return new FittingsError(
    'TOOL_FAILED',
    truncateText(`The tool "${show(tool)}" failed: ${text}`, MAX_MESSAGE),
    {
      server,
      delivery: 'unknown',
    },
  );
}
