import type { FittingsError } from '@mcp-fittings/client-core';
import type { ToolRef, ToolResult } from '@mcp-fittings/host';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { ToolNames } from '../names/tool-names.js';
import type { ToolPermission, ToolPolicyVerdict } from '../permissions/tool-permissions.js';
import type { Rendering } from '../results/rendering.js';
import type { SchemaIssue } from '../validation/schema-issues.js';
import type { ToolRunOptions } from './call-tool.js';

/** The tools that a model sees in one turn. A name always means the tool that the model was shown. */
export interface Toolset {
  /**
   * The offered tools, sorted by name, so that a prompt does not depend on which server connected first. If tools are deferred:
   * `tool_search`, the tools that are always loaded, and those that the conversation has loaded, in the order in which it did.
   * With `spill`, `read_result` comes before all others.
   */
  readonly tools: readonly ModelTool[];
  /** The tools that `tool_search` can find, loaded or not, sorted by name. Empty if tools are not deferred. */
  readonly deferred: readonly ModelTool[];
  /** The tools that are not offered, each with the reason. */
  readonly skipped: readonly {
    /** The names of the server and the tool, as they sent them: escape them before you show them. */
    readonly ref: ToolRef;
    /**
     * The reason: `SCHEMA_REFUSED` (a schema or the list exceeds a limit), `PROTOCOL_VIOLATION` (a name that is too long or is listed
     * twice), `POLICY_DENIED` (the tool is for the server's app only, `skipDenied` is set, or pins block it), `APPROVAL_REQUIRED` (pins:
     * the user has not agreed to it), or the error of the store of pins.
     */
    readonly error: FittingsError;
  }[];
  /** The names of the offered and the deferred tools, and what they stand for. */
  readonly names: ToolNames;
  /** Returns {@link tools} with what was loaded since, for a loop that uses one toolset for several requests. */
  activeTools(): readonly ModelTool[];
  /**
   * Calls a tool by its name. The events end with one `result` or one `error`; the generator does not throw. The call starts
   * when the first event is requested, and leaving the loop aborts it.
   * @param args The arguments that the model gave. Default: none.
   * @example
   * ```ts
   * for await (const event of tools.snapshot().call('mcp__demo__echo', { message: 'hi' })) {
   *   if (event.type === 'partial') console.log(event.text);
   *   if (event.type === 'result' || event.type === 'error') console.log(event.rendering.text);
   * }
   * ```
   */
  call(
    name: string,
    args?: unknown,
    options?: Omit<ToolRunOptions, 'onEvent'>,
  ): AsyncGenerator<ToolEvent, void, undefined>;
  /**
   * Calls a tool by its name and resolves with the last event. Does not reject.
   * @param args The arguments that the model gave. Default: none.
   * @example
   * ```ts
   * const { rendering } = await tools.snapshot().run('mcp__demo__echo', { message: 'hi' });
   * console.log(rendering.isError, rendering.text);
   * ```
   */
  run(name: string, args?: unknown, options?: ToolRunOptions): Promise<LastToolEvent>;
  /**
   * Returns what would happen to a call of this tool now, and why, without a call: for a framework that asks the user before it
   * calls. Undefined if no tool has this name. A later call is decided anew.
   */
  verdict(name: string): (ToolPolicyVerdict & { readonly decision: ToolPermission }) | undefined;
}

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
