import {
  toolCallOutput,
  type AiSdkTool,
  type AiSdkToolOutput,
  type AskedCalls,
  type ModelTool,
  type ToolCallOutput,
  type Toolset,
} from '@mcp-fittings/tools';
import type { MastraAdapterOptions } from './mastra-adapter.js';

/** Fields that the adapter passes to `createTool` of Mastra. */
export interface MastraToolFields {
  /** Name by which the model calls the tool. */
  id: string;
  /** For the user. */
  title: string;
  /** For the model. */
  description: string;
  /** A schema that accepts anything, because the call checks the arguments. Its JSON Schema is that of the tool. */
  inputSchema: {
    /** The interfaces of Standard Schema and Standard JSON Schema. @see https://standardschema.dev/json-schema */
    readonly '~standard': AiSdkTool['inputSchema']['~standard'];
  };
  /** The model gets the schema as it is, and Mastra does not rewrite it for the strict mode of OpenAI. */
  strict: false;
  /** The server, by its own name. Mastra traces the call as one of MCP. */
  mcpMetadata: { serverName: string };
  /** Lets Mastra ask the user before each call. `false` leaves it to `requireToolApproval` of the agent. */
  requireApproval: false | (() => true);
  /** Told of a call before Mastra asks. */
  onInputAvailable: (options: { toolCallId: string; input?: unknown }) => void;
  /** Calls the tool. The output is `payload.result` of a tool result of Mastra. Rejects only if `onEvent` throws. */
  execute: (
    input: unknown,
    context: {
      /** Aborts the call. */
      readonly abortSignal?: AbortSignal | undefined;
      /** The agent that calls. Undefined in a workflow. */
      readonly agent?: { readonly toolCallId: string } | undefined;
      /** Writes `tool-output` chunks to the stream of the agent. */
      readonly writer?: { write(data: unknown): Promise<void> } | undefined;
    },
  ) => Promise<ToolCallOutput>;
  /** Converts an output for the model. Undefined if it is not one of ours. */
  toModelOutput: (output: unknown) => AiSdkToolOutput | undefined;
}

/**
 * Makes the fields of one tool.
 * @param converted The same tool for the AI SDK, whose results Mastra takes.
 */
export function mastraToolFields(
  tool: ModelTool,
  toolset: Toolset,
  converted: AiSdkTool,
  asked: AskedCalls,
  { approval = 'mastra', onEvent, timeoutMs }: Omit<MastraAdapterOptions<unknown>, 'createTool'>,
): MastraToolFields {
  const { name, ref } = tool;
  const needsApproval = approval === 'mastra' && toolset.verdict(name)?.decision === 'ask';
  return {
    id: name,
    title: converted.title,
    description: converted.description,
    inputSchema: { '~standard': converted.inputSchema['~standard'] },
    strict: false,
    mcpMetadata: { serverName: ref.server },
    // A function does not stop other calls of the turn from running at once, as `true` does. One that returns false would override
    // `requireToolApproval` of the agent.
    requireApproval: needsApproval && (() => true),
    onInputAvailable({ toolCallId, input }) {
      // Mastra announces an approved call again; the user was asked about the tool as it was the first time.
      if (needsApproval && !asked.has(toolCallId)) asked.remember(toolCallId, tool, input ?? {});
    },
    async execute(input, { abortSignal, agent, writer }) {
      const toolCallId = agent?.toolCallId;
      const call = { toolCallId, toolName: name };
      const confirm = toolCallId === undefined ? undefined : asked.take(toolCallId, input);
      let written = Promise.resolve();
      const event = await toolset.run(name, input, {
        signal: abortSignal,
        timeoutMs,
        // Only the loop of an agent asks. In a workflow, and in `generateLegacy`, `confirm` of the tools does.
        ...(confirm !== undefined && { confirm }),
        onEvent(progress) {
          onEvent?.(progress, call);
          // The stream may have ended, which does not concern the call.
          written = written.then(() => writer?.write(progress)).catch(() => undefined);
        },
      });
      await written;
      onEvent?.(event, call);
      return toolCallOutput(event);
    },
    toModelOutput: (output) => (isOutput(output) ? converted.toModelOutput({ output }) : undefined),
  };
}

/** Returns whether this is an output of ours: a hook or a processor of Mastra may have replaced it. */
function isOutput(value: unknown): value is ToolCallOutput {
  return (
    typeof value === 'object' &&
    value !== null &&
    'status' in value &&
    'text' in value &&
    'parts' in value &&
    Array.isArray(value.parts)
  );
}
