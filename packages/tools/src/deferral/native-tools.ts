import { nameTool, prepareTool, type ModelTool } from '../model-tools/model-tool.js';

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
  const tool = { server: '', name, title: name, description, inputSchema: { type: 'object' }, digest: name };
  return nameTool(prepareTool(tool, {}), name, { deferLoading: true });
}
