import type { CatalogTool, ToolResult } from '@mcp-fittings/host';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { RenderedPart, RenderOptions } from '../results/rendering.js';
import type { LastToolEvent } from './toolset.js';

/** Keeps large results. `createSpill` of `@mcp-fittings/tools/spill` returns one; several `createTools()` may share it. */
export interface ResultSpill {
  /** Returns the results of one person. `createTools` calls it once. */
  open(options: { readonly principal: string | undefined }): KeptResults;
}

/** The large results of one `createTools`. */
export interface KeptResults {
  /** The tool by which the model reads them. It has the same name and texts in every turn. */
  readonly reader: CatalogTool;
  /** Renders a result, and keeps it if it is too large. Rejects only with the reason of `signal`. */
  render(
    tool: ModelTool,
    result: ToolResult,
    options: {
      /** Limits the part of a result that the model gets if it is not kept. */
      readonly rendering: RenderOptions;
      /** The name by which the model calls {@link KeptResults.reader}. */
      readonly readerName: string;
      /** The `id` of the conversation in which the result can be read; `undefined`: in those without one. */
      readonly conversation: string | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<Pick<LastToolEvent & { readonly type: 'result' }, 'rendering' | 'spilled' | 'spillError'>>;
  /**
   * Reads a part of a result, ready for the model.
   * @throws {FittingsError} `ARGUMENTS_INVALID`, `RESULT_UNKNOWN` and `SPILL_FAILED`.
   */
  read(
    args: Readonly<Record<string, unknown>>,
    options: {
      readonly rendering: RenderOptions;
      /** The `id` of the conversation that asks. */
      readonly conversation: string | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<readonly RenderedPart[]>;
  /** Removes the results, unless later tools can read them. */
  close(): Promise<void>;
}

export type RenderedResult = Awaited<ReturnType<KeptResults['render']>>;
export type SpilledResult = NonNullable<RenderedResult['spilled']>;
