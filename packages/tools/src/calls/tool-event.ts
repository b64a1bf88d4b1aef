import type { FittingsError } from '@mcp-fittings/client-core';
import type { ToolResult } from '@mcp-fittings/host';
import type { Rendering } from '../results/rendering.js';
import type { SchemaIssue } from '../validation/raw-issue.js';

/**
 * What happens during a call. `result` or `error` comes last and exactly once; both have a `rendering` for the model, so
 * that a loop need not tell them apart.
 */
export type ToolEvent =
  | {
      /** How far the server is. When it reports faster than it is listened to, only the latest is given. */
      readonly type: 'progress';
      readonly progress: number;
      readonly total?: number | undefined;
    }
  | {
      /** Something to read before the result is there, free of control sequences. Not part of the result. */
      readonly type: 'partial';
      readonly text: string;
    }
  | {
      readonly type: 'result';
      /** What the server sent, unchanged. A failure of the tool itself is a result with `isError`. */
      readonly result: ToolResult;
      readonly rendering: Rendering;
      /** How the structured content departs from the schema that the server gave for it; usually empty. */
      readonly issues: readonly SchemaIssue[];
    }
  | {
      readonly type: 'error';
      readonly error: FittingsError;
      readonly rendering: Rendering;
    };

/** How a call ended. */
export type LastToolEvent = Extract<ToolEvent, { type: 'result' | 'error' }>;
