import {
  aiSdkTools,
  AskedCalls,
  type ModelTool,
  type ToolEvent,
  type Tools,
  type Toolset,
} from '@mcp-fittings/tools';
import { mastraToolFields, type MastraToolFields } from './mastra-tool.js';

/** Options of {@link createMastraAdapter}. */
export interface MastraAdapterOptions<Tool> {
  /** Makes a tool with your version of Mastra: `(fields) => createTool(fields)`. */
  readonly createTool: (fields: MastraToolFields) => Tool;
  /**
   * Chooses who asks the user about a call that the policy does not decide. `mastra`: the agent, whose run is suspended until
   * `approveToolCall` or `declineToolCall`. `confirm`: `confirm` of `createTools`, while the call waits. It also asks in a workflow.
   * Default `mastra`.
   * @see https://mastra.ai/docs/agents/human-in-the-loop
   */
  readonly approval?: 'mastra' | 'confirm' | undefined;
  /**
   * Called with each event of each call: progress, messages of the server, and last the result or the error. If it throws, the call
   * fails. Default: none.
   */
  readonly onEvent?:
    | ((
        event: ToolEvent,
        call: {
          /** Id that the model gave the call. Undefined if no agent made the call, as in a workflow. */
          readonly toolCallId: string | undefined;
          /** Name by which the model called the tool. */
          readonly toolName: string;
        },
      ) => void)
    | undefined;
  /** Maximum time of a call without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
}

/** The tools of a host for Mastra. */
export interface MastraAdapter<Tool> {
  /**
   * Returns the tools that the host has now, for `tools` of an agent: `tools: () => adapter.tools()` has those of each turn.
   * @param turn A snapshot of a conversation. Pass {@link aiSdkPrepareStep} too if tools are deferred. Default: `tools.snapshot()`.
   */
  tools(turn?: Toolset): Record<string, Tool>;
  /** Returns the same tools by the name of their server, for `toolsets` of `generate` and `stream`. Call it for each turn. */
  toolsets(turn?: Toolset): Record<string, Record<string, Tool>>;
}

/**
 * Offers the tools of a host to Mastra agents, with the approval of Mastra, and progress in the stream of the agent.
 * @param tools The tools of `createTools`. The adapter uses its policy, and does not close it.
 * @example
 * ```ts
 * import { createTool } from '@mastra/core/tools';
 *
 * const adapter = createMastraAdapter(tools, { createTool: (fields) => createTool(fields) });
 * const agent = new Agent({ id, name, instructions, model, tools: () => adapter.tools() });
 * ```
 */
export function createMastraAdapter<Tool>(
  tools: Tools,
  options: MastraAdapterOptions<Tool>,
): MastraAdapter<Tool> {
  const asked = new AskedCalls();
  const toolsOf = (
    toolset = tools.snapshot(),
  ): readonly { readonly tool: ModelTool; readonly made: Tool }[] => {
    const converted = aiSdkTools(toolset);
    return [...toolset.tools, ...toolset.deferred].flatMap((tool) => {
      const theirs = converted[tool.name];
      if (theirs === undefined) return [];
      const fields = mastraToolFields(tool, toolset, theirs, asked, options);
      return [{ tool, made: options.createTool(fields) }];
    });
  };
  return {
    tools: (turn) => Object.fromEntries(toolsOf(turn).map(({ tool, made }) => [tool.name, made])),
    toolsets(turn) {
      const byServer = new Map<string, Map<string, Tool>>();
      for (const { tool, made } of toolsOf(turn)) {
        const { server } = tool.ref;
        const its = byServer.get(server) ?? new Map<string, Tool>();
        byServer.set(server, its.set(tool.name, made));
      }
      return Object.fromEntries(Array.from(byServer, ([server, its]) => [server, Object.fromEntries(its)]));
    },
  };
}
