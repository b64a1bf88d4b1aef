import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createToolNaming, forSameList, prepareTool, type ModelTool } from '../model-tools/model-tool.js';
import { freeName } from '../names/keys.js';
import { renderingOf } from '../results/render-result.js';
import { failCall, type ToolCallDeps, type ToolRunOptions } from './call-tool.js';
import type { KeptResults } from './result-spill.js';
import type { LastToolEvent, Toolset } from './toolset.js';

/**
 * Keeps the large results of toolsets. Their reader is the first tool, and always there, also before the first large result, so that the
 * list of tools does not change within a conversation.
 */
export class SpilledCalls {
  readonly #results: KeptResults;
  readonly #readerBeside: (tools: readonly ModelTool[]) => ModelTool;

  constructor(results: KeptResults) {
    this.#results = results;
    const prepared = prepareTool(results.reader, {});
    const nameTool = createToolNaming();
    this.#readerBeside = forSameList((tools) => {
      // A tool of a server that has the name of the reader keeps it.
      const taken = new Set(tools.map(({ name }) => name.toLowerCase()));
      return nameTool(prepared, freeName(results.reader.name, taken));
    });
  }

  /** Returns what the calls of a toolset use, so that such results are kept. */
  keep(deps: ToolCallDeps, tools: readonly ModelTool[], conversation: string | undefined): ToolCallDeps {
    const readerName = this.#readerBeside(tools).name;
    const { rendering } = deps;
    return {
      ...deps,
      render: (tool, result, signal) =>
        this.#results.render(tool, result, { rendering, readerName, conversation, signal }),
    };
  }

  /** Adds the reader of large results to a toolset that was made of `tools`. */
  addReader(
    toolset: Toolset,
    deps: ToolCallDeps,
    tools: readonly ModelTool[],
    conversation: string | undefined,
  ): Toolset {
    const reader = this.#readerBeside(tools);
    const { rendering } = deps;
    // No policy applies, because it shows only what the model was given in this conversation.
    const read = async (
      args: unknown,
      { signal = new AbortController().signal }: Pick<ToolRunOptions, 'signal'> = {},
    ): Promise<LastToolEvent> => {
      try {
        signal.throwIfAborted();
        const asked = isRecord(args) ? args : {};
        const parts = await this.#results.read(asked, { rendering, conversation, signal });
        return {
          type: 'result',
          result: { content: parts },
          issues: [],
          rendering: renderingOf(parts, false),
        };
      } catch (thrown) {
        return failCall(deps, thrown, 'not-sent', signal);
      }
    };
    return {
      ...toolset,
      tools: [reader, ...toolset.tools],
      activeTools: () => [reader, ...toolset.activeTools()],
      async *call(name, args, options) {
        if (name === reader.name) yield await read(args, options);
        else yield* toolset.call(name, args, options);
      },
      run: (name, args, options) =>
        name === reader.name ? read(args, options) : toolset.run(name, args, options),
    };
  }
}
