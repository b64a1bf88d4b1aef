import type { ToolResult } from '@mcp-fittings/host';
import { createToolNaming, forSameList, prepareTool, type ModelTool } from '../model-tools/model-tool.js';
import { freeName } from '../names/keys.js';
import { renderingOf } from '../results/render-result.js';
import { callTool, runTool, type ToolCallDeps } from './call-tool.js';
import type { KeptResults } from './result-spill.js';
import type { Toolset } from './toolset.js';

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
    const own = readerDeps(deps, reader, (args, signal) =>
      this.#results.read(args, { rendering, conversation, signal }),
    );
    return {
      ...toolset,
      tools: [reader, ...toolset.tools],
      activeTools: () => [reader, ...toolset.activeTools()],
      call: (name, args, options = {}) =>
        name === reader.name ? callTool(own, name, args, options) : toolset.call(name, args, options),
      run: (name, args, options = {}) =>
        name === reader.name ? runTool(own, name, args, options) : toolset.run(name, args, options),
    };
  }
}

/** No policy applies to the reader, because it shows only what the model was given in this conversation. */
function readerDeps(
  deps: ToolCallDeps,
  reader: ModelTool,
  read: (args: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ToolResult>,
): ToolCallDeps {
  return {
    ...deps,
    find: () => reader,
    pins: undefined,
    policy: {
      ...deps.policy,
      forTool: () => ({
        decision: 'allow',
        rule: 'no-rule',
        reason: 'It reads a result of this conversation.',
      }),
    },
    host: {
      tools: () => [],
      callTool: (_, args = {}, { signal = new AbortController().signal } = {}) => read(args, signal),
    },
    // What is read is ready for the model.
    render: (_, { content }) =>
      Promise.resolve({
        rendering: renderingOf(
          content.flatMap((part) =>
            part.type === 'text' || part.type === 'image' || part.type === 'audio' ? [part] : [],
          ),
          false,
        ),
      }),
  };
}
