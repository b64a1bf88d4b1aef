import type { ErrorCode, FittingsError } from '@mcp-fittings/client-core';
import type { Rendering } from '../results/rendering.js';
import type { LastToolEvent } from './toolset.js';

/** Outcome of a call as JSON, which a framework keeps as the output of a tool. */
export interface ToolCallOutput extends Rendering {
  /** `failed`: the call failed or was not made ({@link error} says why), or the tool itself says that it failed. */
  readonly status: 'succeeded' | 'failed';
  /** The structured content of the result, as the server sent it. */
  readonly structuredContent?: unknown;
  /** Describes why the call failed. Absent if the tool ran and says that it failed. */
  readonly error?:
    | {
        /** Code of the `FittingsError`. */
        readonly code: ErrorCode;
        /** Tells whether the server may have carried out the call: check it before you call again. */
        readonly delivery: FittingsError['delivery'];
        /** Tells what to do about it. */
        readonly hint?: string | undefined;
      }
    | undefined;
}

/** Converts the last event of a call to its output. */
export function toolCallOutput(event: LastToolEvent): ToolCallOutput {
  const { rendering } = event;
  const status = rendering.isError ? 'failed' : 'succeeded';
  if (event.type === 'error') {
    // Not what is only for people who debug: the message, the cause and the details.
    const { code, delivery, hint } = event.error;
    return { ...rendering, status, error: { code, delivery, ...(hint !== undefined && { hint }) } };
  }
  const { structuredContent } = event.result;
  return { ...rendering, status, ...(structuredContent !== undefined && { structuredContent }) };
}
