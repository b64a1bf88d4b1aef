import type { ToolCallOutput } from '@mcp-fittings/tools';

/** Returns whether this is an output of ours: a hook or a processor of Mastra may have replaced it. */
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
