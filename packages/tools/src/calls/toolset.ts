import type { FittingsError } from '@mcp-fittings/client-core';
import type { ToolRef } from '@mcp-fittings/host';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { ToolNames } from '../names/tool-names.js';
import type { ToolPermission, ToolPolicyVerdict } from '../permissions/tool-permissions.js';
import type { ToolRunOptions } from './call-tool.js';
import type { LastToolEvent, ToolEvent } from './tool-event.js';

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
