import { toolFailure, type LastToolEvent, type Rendering, type ToolFailure } from '@mcp-fittings/tools';

/** Which call an event belongs to. */
export interface MastraCall {
  /** Id that the model gave the call. Undefined if no agent made the call, as in a workflow. */
  readonly toolCallId: string | undefined;
  /** Name by which the model called the tool. */
  readonly toolName: string;
}

/** The result of a tool, as the program finds it in `payload.result` of a tool result of Mastra. It is JSON. */
export interface MastraCallOutput extends Rendering {
  /** `failed`: the call failed or was not made ({@link error} says why), or the tool itself says that it failed. */
  readonly status: 'succeeded' | 'failed';
  /** The structured content of the result, as the server sent it. */
  readonly structuredContent?: unknown;
  /** Why the call failed. Absent if the tool ran and says that it failed. */
  readonly error?: ToolFailure | undefined;
}

/** Converts the last event of a call to its output. */
export function outputOf(event: LastToolEvent): MastraCallOutput {
  const { rendering } = event;
  const status = rendering.isError ? 'failed' : 'succeeded';
  if (event.type === 'result') {
    const { structuredContent } = event.result;
    return { ...rendering, status, ...(structuredContent !== undefined && { structuredContent }) };
  }
  return { ...rendering, status, error: toolFailure(event.error) };
}

/** Whether this is an output of ours: a hook or a processor of Mastra may have replaced it. */
export function isOutput(value: unknown): value is MastraCallOutput {
  return (
    typeof value === 'object' &&
    value !== null &&
    'status' in value &&
    'text' in value &&
    'parts' in value &&
    Array.isArray(value.parts)
  );
}
