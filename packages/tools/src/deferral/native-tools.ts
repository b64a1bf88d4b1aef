import { hashPair } from '../names/name-hash.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import { toolTraits } from '../permissions/tool-traits.js';
import { convertSchema, type ConvertedSchema } from '../schema-to-zod/convert-schema.js';

/** Returns the tool, marked as one whose definition is in the result of a search. Its schemas are still converted when they are first read. */
export function withDeferLoading(tool: ModelTool): ModelTool {
  if (tool.deferLoading === true) return tool;
  const { name, ref, title, description, traits, definition } = tool;
  return {
    name,
    ref,
    title,
    description,
    traits,
    definition,
    deferLoading: true,
    originalArguments: (args) => tool.originalArguments(args),
    get inputSchema() {
      return tool.inputSchema;
    },
    get repairs() {
      return tool.repairs;
    },
    get input() {
      return tool.input;
    },
    get output() {
      return tool.output;
    },
  };
}

/**
 * Returns a tool in place of one that was loaded and that no server has now. Anthropic rejects a request in which a message
 * refers to a tool that is not defined. A call of it fails with `TOOL_UNKNOWN`.
 */
export function goneTool(name: string): ModelTool {
  const description = 'This tool is not available now. Do not call it.';
  const inputSchema = { type: 'object' as const, properties: {} };
  let input: ConvertedSchema | undefined;
  return {
    name,
    ref: { server: '', tool: name },
    title: name,
    description,
    inputSchema,
    repairs: [],
    deferLoading: true,
    originalArguments: (args) => args,
    traits: toolTraits(undefined),
    get input() {
      return (input ??= convertSchema(inputSchema));
    },
    output: undefined,
    definition: { server: '', name, description, inputSchema, digest: hashPair('', name) },
  };
}
