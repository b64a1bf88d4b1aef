import {
  aiSdkTools,
  type AiSdkTool,
  type ModelTool,
  type ToolEvent,
  type Tools,
  type Toolset,
} from '@mcp-fittings/tools';
import * as z from 'zod';
import {
  artifactOf,
  contentOf,
  type LangChainToolFields,
  type LangChainToolMessageFields,
} from './langchain-tool.js';

/** Options of {@link createLangChainAdapter}. */
export interface LangChainAdapterOptions<Tool, Message> {
  /** Makes a tool with your version of LangChain: `(fields) => new DynamicStructuredTool(fields)`. */
  readonly createTool: (fields: LangChainToolFields) => Tool;
  /** Makes the message of a call that failed: `(fields) => new ToolMessage(fields)`. Only a message can be marked as failed. */
  readonly createMessage: (fields: LangChainToolMessageFields) => Message;
  /**
   * Called with each event of each call: progress, messages of the server, and last the result or the error. If it throws, so does the
   * tool. Default: none.
   */
  readonly onEvent?:
    | ((
        event: ToolEvent,
        call: {
          /** Id that the model gave the call. Undefined if the program invoked the tool without a call of a model. */
          readonly toolCallId: string | undefined;
          /** Name by which the model called the tool. */
          readonly toolName: string;
        },
      ) => void)
    | undefined;
  /** Maximum time of a call without a result or progress, in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
}

/** The tools of a host for LangChain. */
export interface LangChainAdapter<Tool> {
  /**
   * Returns the tools that the host has now, for `createAgent`, `ToolNode` or `bindTools`. Call it for each turn.
   * @param turn A snapshot of a conversation. If tools are deferred, show the model only its `activeTools()`. Default: `tools.snapshot()`.
   */
  structuredTools(turn?: Toolset): Tool[];
}

/**
 * Offers the tools of a host to LangChain and LangGraph, as structured tools whose messages have an artifact.
 * @param tools The tools of `createTools`. The adapter uses its policy and its `confirm`, and does not close it.
 * @example
 * ```ts
 * import { ToolMessage } from '@langchain/core/messages';
 * import { DynamicStructuredTool } from '@langchain/core/tools';
 *
 * const adapter = createLangChainAdapter(tools, {
 *   createTool: (fields) => new DynamicStructuredTool(fields),
 *   createMessage: (fields) => new ToolMessage(fields),
 * });
 * const agent = createAgent({ model, tools: adapter.structuredTools() });
 * ```
 */
export function createLangChainAdapter<Tool, Message>(
  tools: Tools,
  options: LangChainAdapterOptions<Tool, Message>,
): LangChainAdapter<Tool> {
  return {
    structuredTools(turn = tools.snapshot()) {
      const converted = aiSdkTools(turn);
      const byName = new Map([...turn.tools, ...turn.deferred].map((tool) => [tool.name, tool]));
      return [...byName.values()].flatMap((tool) => {
        const theirs = converted[tool.name];
        return theirs === undefined ? [] : [options.createTool(fieldsOf(tool, turn, theirs, options))];
      });
    },
  };
}

function fieldsOf<Tool, Message>(
  { name, ref }: ModelTool,
  toolset: Toolset,
  { description, inputSchema }: AiSdkTool,
  { createMessage, onEvent, timeoutMs }: LangChainAdapterOptions<Tool, Message>,
): LangChainToolFields {
  return {
    name,
    description,
    schema: schemaOf(inputSchema['~standard'].jsonSchema.input),
    responseFormat: 'content_and_artifact',
    metadata: { ...ref },
    async func(input, _, config) {
      const toolCallId = config?.toolCall?.id;
      const call = { toolCallId, toolName: name };
      const event = await toolset.run(name, input, {
        signal: config?.signal,
        timeoutMs,
        ...(onEvent !== undefined && { onEvent: (progress) => onEvent(progress, call) }),
      });
      onEvent?.(event, call);
      const artifact = artifactOf(event);
      const content = contentOf(event.rendering);
      if (!artifact.isError || toolCallId === undefined) return [content, artifact];
      const { text } = event.rendering;
      const failed = { content: text, status: 'error' as const, tool_call_id: toolCallId, name, artifact };
      return [createMessage(failed), artifact];
    },
  };
}

/**
 * LangChain would check a JSON Schema itself, with the patterns of the server and without a bound, and tell the model only that the
 * arguments do not match. This schema accepts all; Zod writes it as the schema of the tool.
 */
function schemaOf(toJsonSchema: () => object): LangChainToolFields['schema'] {
  const schema = z.record(z.string(), z.unknown());
  schema._zod.toJSONSchema = toJsonSchema;
  return schema;
}
