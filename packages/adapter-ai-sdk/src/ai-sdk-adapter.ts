import {
  aiSdkTools,
  AskedCalls,
  type AiSdkTool,
  type AiSdkToolOutput,
  type ModelTool,
  type Tools,
  type Toolset,
} from '@mcp-fittings/tools';
import { confirmedBySdk, isApproved, SpentApprovals } from './approved-calls.js';
import { outputsOf, type AiSdkCallOutput } from './call-output.js';

/** Options of {@link createAiSdkAdapter}. */
export interface AiSdkAdapterOptions<Version extends 6 | 7 = 6 | 7> {
  /** Major version of `ai`. Default 7. */
  readonly version?: Version | undefined;
  /**
   * Chooses who asks the user about a call that the policy does not decide. `sdk`: the AI SDK, with a tool approval request; the call runs
   * once the messages have the approval. `confirm`: `confirm` of `createTools`, while the call waits. Default `sdk`.
   * @see https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling#tool-execution-approval
   */
  readonly approval?: 'sdk' | 'confirm' | undefined;
  /**
   * Called with every output of each call, its progress and its result: `generateText` has no preliminary results, and does not return
   * the outputs of approved calls. If it throws, the call is aborted and is a tool error of the AI SDK. Default: none.
   */
  readonly onOutput?:
    | ((
        output: AiSdkCallOutput,
        call: {
          /** Id that the model gave the call. */
          readonly toolCallId: string;
          /** Name by which the model called the tool. */
          readonly toolName: string;
        },
      ) => void)
    | undefined;
  /** Maximum time of a call without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
}

/** A tool that is assignable to `Tool` of the AI SDK 6 and 7. */
export interface AiSdkAdapterTool<Version extends 6 | 7 = 6 | 7> extends Omit<
  AiSdkTool,
  'execute' | 'toModelOutput'
> {
  /** The server and the tool, by their own names: `toolMetadata` of the calls of the AI SDK 7. */
  readonly metadata: { server: string; tool: string };
  /** Returns true if the AI SDK asks the user before this call. */
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
  readonly toModelOutput: (options: { output: AiSdkCallOutput }) => AiSdkToolOutput<Version>;
}

/** The tools of a host for the AI SDK. */
export interface AiSdkAdapter<Version extends 6 | 7 = 6 | 7> {
  /**
   * Returns the tools that the host has now, for `tools` of `generateText`, `streamText` or an agent. Call it for each turn, so that
   * tools that a server added, and servers that were connected again, are there.
   * @param turn A snapshot of a conversation. Pass {@link aiSdkPrepareStep} too if tools are deferred. Default: `tools.snapshot()`.
   */
  toolSet(turn?: Toolset): Record<string, AiSdkAdapterTool<Version>>;
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
export function createAiSdkAdapter<Version extends 6 | 7 = 7>(
  tools: Tools,
  options: AiSdkAdapterOptions<Version> = {},
): AiSdkAdapter<Version> {
  const asked = new AskedCalls();
  const spent = new SpentApprovals();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without the option, it is the default of the type too
  const version = (options.version ?? 7) as Version;
  return {
    toolSet(toolset = tools.snapshot()) {
      const converted = aiSdkTools(toolset, { version });
      return Object.fromEntries(
        [...toolset.tools, ...toolset.deferred].flatMap((tool) => {
          const theirs = converted[tool.name];
          return theirs === undefined
            ? []
            : [[tool.name, adapterTool(theirs, { tool, toolset, asked, spent, options })]];
        }),
      );
    },
  };
}

function adapterTool<Version extends 6 | 7>(
  theirs: AiSdkTool<Version>,
  deps: {
    readonly tool: ModelTool;
    readonly toolset: Toolset;
    readonly asked: AskedCalls;
    readonly spent: SpentApprovals;
    readonly options: AiSdkAdapterOptions;
  },
): AiSdkAdapterTool<Version> {
  const { tool, toolset, asked, spent, options } = deps;
  const sdkAsks = (options.approval ?? 'sdk') === 'sdk';
  return {
    ...theirs,
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
