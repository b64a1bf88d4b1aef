import type { Rendering } from '../results/rendering.js';
import { toolFailure, type ToolFailure } from '../results/tool-failure.js';
import type { LastToolEvent } from './tool-event.js';

/** How a call ended, as JSON for a program: what a framework keeps as the output of a tool. */
export interface ToolCallOutput extends Rendering {
  /** `failed`: the call failed or was not made ({@link error} says why), or the tool itself says that it failed. */
  readonly status: 'succeeded' | 'failed';
  /** The structured content of the result, as the server sent it. */
  readonly structuredContent?: unknown;
  /** Why the call failed. Absent if the tool ran and says that it failed. */
  readonly error?: ToolFailure | undefined;
}

/** Converts the last event of a call to its output. */
export function toolCallOutput(event: LastToolEvent): ToolCallOutput {
  const { rendering } = event;
  const status = rendering.isError ? 'failed' : 'succeeded';
  if (event.type === 'error') return { ...rendering, status, error: toolFailure(event.error) };
  const { structuredContent } = event.result;
  return { ...rendering, status, ...(structuredContent !== undefined && { structuredContent }) };
}
