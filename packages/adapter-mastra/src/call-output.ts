import type { ToolCallOutput } from '@mcp-fittings/tools';

/** Which call an event belongs to. */
export interface MastraCall {
  /** Id that the model gave the call. Undefined if no agent made the call, as in a workflow. */
  readonly toolCallId: string | undefined;
  /** Name by which the model called the tool. */
  readonly toolName: string;
}

/** Whether this is an output of ours: a hook or a processor of Mastra may have replaced it. */
export function isOutput(value: unknown): value is ToolCallOutput {
  return (
    typeof value === 'object' &&
    value !== null &&
    'status' in value &&
    'text' in value &&
    'parts' in value &&
    Array.isArray(value.parts)
  );
}
