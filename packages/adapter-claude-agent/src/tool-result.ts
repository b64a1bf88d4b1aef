import { anthropicToolResult, type Rendering } from '@mcp-fittings/tools';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** Makes the result of a call: what the Messages API accepts, with the structured content as text. */
export function toolResult(rendering: Rendering): CallToolResult {
  const { content, is_error: isError } = anthropicToolResult('', rendering);
  return {
    isError,
    content: content.map((block) => {
      if (block.type === 'image')
        return { type: 'image', data: block.source.data, mimeType: block.source.media_type };
      return { type: 'text', text: block.type === 'text' ? block.text : block.tool_name };
    }),
  };
}
