import type { FittingsError } from '@mcp-fittings/client-core';
import type { ToolResult } from '@mcp-fittings/host';
import type { Rendering } from '../results/rendering.js';
import type { SchemaIssue } from '../validation/schema-issues.js';

/**
 * An event of a call. `result` or `error` is the last one and comes exactly once. Both have a `rendering` for the model, so that
 * a loop need not distinguish them.
 */
export type ToolEvent =
  | {
      /** A progress notification. If the server sends them faster than they are read, only the latest is kept. */
      readonly type: 'progress';
      /** The progress so far, in units that the server chooses. */
      readonly progress: number;
      /** The value of `progress` at the end, if the server knows it. */
      readonly total?: number | undefined;
    }
  | {
      /** A message of the server before the result. Not part of the result. */
      readonly type: 'partial';
      /** Free of control sequences, at most 4000 characters. */
      readonly text: string;
    }
  | {
      /** The result of the tool. A failure of the tool itself is a result with `isError`. */
      readonly type: 'result';
      /** The result as the server sent it, unchanged. */
      readonly result: ToolResult;
      /** The result for the model. */
      readonly rendering: Rendering;
      /** With `spill`: where the whole result is kept, if `rendering` is a preview of it. */
      readonly spilled?:
        | {
            /** Reference that the model passes to `read_result`. It cannot be guessed, and is valid in this conversation only. */
            readonly reference: string;
            /** UTF-16 units of the whole text. */
            readonly characters: number;
            /** Lines of the whole text. */
            readonly lines: number;
            /** Number of images, audio and files that are kept with the text. */
            readonly items: number;
            /** Bytes that the store holds for it. */
            readonly bytes: number;
            /** Latest time at which the result is removed, in milliseconds since the Unix epoch. */
            readonly expiresAt: number;
          }
        | undefined;
      /** With `spill`: why the whole result could not be kept. `rendering` is then truncated; `result` is whole. */
      readonly spillError?: FittingsError | undefined;
      /** Places where the structured content does not match the output schema of the tool; usually none. */
      readonly issues: readonly SchemaIssue[];
    }
  | {
      /** The call failed, or was not made. */
      readonly type: 'error';
      /** Error of the call. Its `delivery` says whether the call may have reached the server. */
      readonly error: FittingsError;
      /** The error for the model: its message and its hint. */
      readonly rendering: Rendering;
    };

/** The last event of a call. */
export type LastToolEvent = Extract<ToolEvent, { type: 'result' | 'error' }>;
