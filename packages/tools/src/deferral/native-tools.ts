import { hashPair } from '../names/name-hash.js';
import { nameTool, type ModelTool } from '../model-tools/model-tool.js';
import { toolTraits } from '../model-tools/tool-traits.js';
import { convertSchema, type ConvertedSchema } from '../schema-to-zod/convert-schema.js';

/** Returns the tool, marked as one whose definition is in the result of a search. */
export function withDeferLoading(tool: ModelTool): ModelTool {
  return tool.deferLoading === true ? tool : nameTool(tool, tool.name, { deferLoading: true });
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
