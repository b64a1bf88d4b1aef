import { toolCallOutput, type LastToolEvent, type Rendering, type ToolCallOutput } from '@mcp-fittings/tools';
import type * as z from 'zod';

/** The artifact of a tool message: what the program learns about a call, and the model does not. */
export interface LangChainArtifact {
  /** Is true if the call or the tool failed. */
  readonly isError: boolean;
  /** The structured content of the result, as the server sent it. */
  readonly structuredContent?: unknown;
  /** Metadata of the result, as the server sent it. */
  readonly _meta?: unknown;
  /** Describes why the call failed. Absent if the tool ran and says that it failed. */
  readonly error?: ToolCallOutput['error'];
}

/** Fields that the adapter passes to the constructor of `DynamicStructuredTool`. */
export interface LangChainToolFields {
  /** Name by which the model calls the tool. */
  name: string;
  /** Description for the model. */
  description: string;
  /** Accepts anything, because the call checks the arguments. Its JSON Schema is that of the tool. */
  schema: z.ZodType<Record<string, unknown>, Record<string, unknown>>;
  /** The function returns content and artifact. */
  responseFormat: 'content_and_artifact';
  /** The server and the tool, by their own names. */
  metadata: { server: string; tool: string };
  /** Calls the tool. Does not reject. */
  func: (
    input: Record<string, unknown>,
    runManager?: unknown,
    config?: { signal?: AbortSignal; toolCall?: { id?: string } },
  ) => Promise<unknown>;
}

/** Fields that the adapter passes to the constructor of `ToolMessage`, for a call that failed. */
export interface LangChainToolMessageFields {
  /** Text of the failure. */
  content: string;
  /** Marks the message as a failure. */
  status: 'error';
  /** Id of the call. */
  tool_call_id: string;
  /** Name of the tool. */
  name: string;
  /** Details of the failure for the program, which the model does not see. */
  artifact: LangChainArtifact;
}

/** Makes the artifact of a call. */
export function artifactOf(event: LastToolEvent): LangChainArtifact {
  const { isError } = event.rendering;
  if (event.type === 'result') {
    const { structuredContent, _meta } = event.result;
    return {
      isError,
      ...(structuredContent !== undefined && { structuredContent }),
      ...(_meta !== undefined && { _meta }),
    };
  }
  return { isError, error: toolCallOutput(event).error };
}

/** Converts a result to content of a message: text alone is a string, which every model accepts, and other parts are standard blocks. */
export function contentOf({ parts, text }: Rendering): string | Rendering['parts'][number][] {
  if (parts.length === 0) return '[The tool returned no content.]';
  if (parts.every(({ type }) => type === 'text')) return text;
  return parts.map((part) => ({ ...part }));
}
