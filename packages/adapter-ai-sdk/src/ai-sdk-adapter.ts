import { FittingsError } from '@mcp-fittings/client-core';
import {
  aiSdkTools,
  createAskedCalls,
  type AiSdk7ToolOutput,
  type AiSdkSchema,
  type AiSdkTool,
  type AiSdkToolOutput,
  type AskedCalls,
  type Confirm,
  type ModelTool,
  type Tools,
  type Toolset,
} from '@mcp-fittings/tools';
import { isApproved } from './approved-calls.js';
import { outputsOf, type AiSdkCall, type AiSdkCallOutput } from './call-output.js';

/** Options of {@link createAiSdkAdapter}. */
export interface AiSdkAdapterOptions<Version extends 6 | 7 = 6 | 7> {
  /** Major version of `ai`. Default 7. */
  readonly version?: Version | undefined;
  /**
   * Who asks the user about a call that the policy does not decide. `sdk`: the AI SDK, with a tool approval request; the call runs
   * once the messages have the approval. `confirm`: `confirm` of `createTools`, while the call waits. Default `sdk`.
   * @see https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling#tool-execution-approval
   */
  readonly approval?: 'sdk' | 'confirm' | undefined;
  /**
   * Called with every output of each call, its progress and its result: `generateText` has no preliminary results, and does not return
   * the outputs of approved calls. If it throws, the call is aborted and is a tool error of the AI SDK. Default: none.
   */
  readonly onOutput?: ((output: AiSdkCallOutput, call: AiSdkCall) => void) | undefined;
  /** Maximum time of a call without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
}

/** A schema of the AI SDK, which is also a Standard Schema and a Standard JSON Schema, as 6.0.0 requires. */
export interface AiSdkAdapterSchema extends Omit<AiSdkSchema, '~standard'> {
  /** The interfaces of Standard Schema and Standard JSON Schema. @see https://standardschema.dev/json-schema */
  readonly '~standard': AiSdkSchema['~standard'] & {
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** A tool that is assignable to `Tool` of the AI SDK 6 and 7. */
export interface AiSdkAdapterTool<Output = AiSdkToolOutput | AiSdk7ToolOutput> extends Omit<
  AiSdkTool<Output>,
  'execute' | 'inputSchema' | 'toModelOutput'
> {
  /** The schema for the model, as a schema of the AI SDK. */
  readonly inputSchema: AiSdkAdapterSchema;
  /** The server and the tool, by their own names: `toolMetadata` of the calls of the AI SDK 7. */
  readonly metadata: { server: string; tool: string };
  /** Whether the AI SDK asks the user before this call. */
  readonly needsApproval: (
    input: unknown,
    options: { toolCallId: string; messages: readonly unknown[] },
  ) => boolean;
  /** Calls the tool. The last output is the result; those before it say how the call gets on. Does not throw. */
  readonly execute: (
    input: unknown,
    options: {
      toolCallId: string;
      messages: readonly unknown[];
      abortSignal?: AbortSignal | undefined;
    },
  ) => AsyncGenerator<AiSdkCallOutput, void, undefined>;
  /** Converts an output for the model, to a `ToolResultOutput`. */
  readonly toModelOutput: (options: { output: AiSdkCallOutput }) => Output;
}

/** The tools of a host for the AI SDK. */
export interface AiSdkAdapter<Output = AiSdkToolOutput | AiSdk7ToolOutput> {
  /**
   * Returns the tools that the host has now, for `tools` of `generateText`, `streamText` or an agent. Call it for each turn, so that
   * tools that a server added, and servers that were connected again, are there.
   */
  toolSet(): Record<string, AiSdkAdapterTool<Output>>;
}

/**
 * Offers the tools of a host to the AI SDK, with the approval of the AI SDK, progress as preliminary results, and results as
 * `ToolResultOutput`.
 * @param tools The tools of `createTools`. The adapter uses its policy, and does not close it.
 * @example
 * ```ts
 * const adapter = createAiSdkAdapter(createTools(host, { policy }));
 * const { text } = await generateText({ model, prompt, tools: adapter.toolSet(), stopWhen: isStepCount(20) });
 * ```
 */
export function createAiSdkAdapter(
  tools: Tools,
  options?: AiSdkAdapterOptions<7>,
): AiSdkAdapter<AiSdk7ToolOutput>;
/** The same for version 6 of the AI SDK. */
export function createAiSdkAdapter(
  tools: Tools,
  options: AiSdkAdapterOptions<6> & { readonly version: 6 },
): AiSdkAdapter<AiSdkToolOutput>;
export function createAiSdkAdapter(tools: Tools, options: AiSdkAdapterOptions = {}): AiSdkAdapter {
  const asked = createAskedCalls();
  const spent = new SpentApprovals();
  return {
    toolSet() {
      const toolset = tools.snapshot();
      const converted: Record<string, AiSdkTool<AiSdkToolOutput | AiSdk7ToolOutput>> = options.version === 6
        ? aiSdkTools(toolset)
        : aiSdkTools(toolset, { version: 7 });
      return Object.fromEntries(
        toolset.tools.flatMap((tool) => {
          const theirs = converted[tool.name];
          return theirs === undefined
            ? []
            : [[tool.name, adapterTool(theirs, { tool, toolset, asked, spent, options })]];
        }),
      );
    },
  };
}

function adapterTool<Output>(
  theirs: AiSdkTool<Output>,
  deps: {
    readonly tool: ModelTool;
    readonly toolset: Toolset;
    readonly asked: AskedCalls;
    readonly spent: SpentApprovals;
    readonly options: AiSdkAdapterOptions;
  },
): AiSdkAdapterTool<Output> {
  const { tool, toolset, asked, spent, options } = deps;
  const sdkAsks = (options.approval ?? 'sdk') === 'sdk';
  return {
    ...theirs,
    inputSchema: adapterSchema(theirs.inputSchema),
    metadata: { ...tool.ref },
    needsApproval(input, { toolCallId, messages }) {
      const needed = sdkAsks && toolset.verdict(tool.name)?.decision === 'ask';
      // Version 7 also asks about calls that the user has approved, before it executes them.
      if (needed && !isApproved(messages, toolCallId)) {
        asked.remember(toolCallId, tool, input ?? {});
        spent.forget(toolCallId);
      }
      return needed;
    },
    async *execute(input, { toolCallId, messages, abortSignal }) {
      const call = { toolCallId, toolName: tool.name };
      const events = toolset.call(tool.name, input, {
        signal: abortSignal,
        timeoutMs: options.timeoutMs,
        ...(sdkAsks && {
          confirm: confirmedBySdk(
            asked.take(toolCallId, input),
            isApproved(messages, toolCallId) && !spent.has(toolCallId),
            () => spent.add(toolCallId),
          ),
        }),
      });
      for await (const output of outputsOf(events)) {
        options.onOutput?.(output, call);
        yield output;
      }
    },
  };
}

/** The calls that ran because the user approved them: the same messages do not approve a second one. */
class SpentApprovals {
  readonly #callIds = new Set<string>();

  has(callId: string): boolean {
    return this.#callIds.has(callId);
  }

  add(callId: string): void {
    this.#callIds.add(callId);
    const [oldest] = this.#callIds;
    if (this.#callIds.size > MAX_SPENT && oldest !== undefined) this.#callIds.delete(oldest);
  }

  /** Forgets a call that the user is asked about again. */
  forget(callId: string): void {
    this.#callIds.delete(callId);
  }
}

/** Most approvals that are remembered as used. */
const MAX_SPENT = 10_000;

/** The spread keeps the symbol by which the AI SDK recognizes its own schemas. */
function adapterSchema(schema: AiSdkSchema): AiSdkAdapterSchema {
  const copy = (): Record<string, unknown> => ({ ...schema.jsonSchema });
  return {
    ...schema,
    '~standard': { ...schema['~standard'], jsonSchema: { input: copy, output: copy } },
  };
}

/** Answers for the user, who has answered the AI SDK. Without a question of this process, another one has asked. */
function confirmedBySdk(consent: Confirm | undefined, approved: boolean, spend: () => void): Confirm {
  return async (request) => {
    if (approved) {
      spend();
      return consent?.(request) ?? 'once';
    }
    const { tool, verdict } = request;
    throw new FittingsError(
      'APPROVAL_REQUIRED',
      `The tool ${tool.name} requires confirmation, but the messages have no approval of this call that was not used: ${verdict.reason}`,
      {
        server: tool.ref.server,
        delivery: 'not-sent',
        hint: 'Call the tool again. The user will be asked.',
      },
    );
  };
}
