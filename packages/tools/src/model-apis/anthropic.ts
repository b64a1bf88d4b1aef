import type { ModelTool } from '../model-tool.js';
import { withFlatRoot } from './flatten-root.js';
import type { ModelSchema } from '../model-schema/model-schema.js';

export type AnthropicTool = { name: string; description: string; input_schema: ModelSchema };

/**
 * Tool definitions for the Messages API, which takes no combination at the root of a schema.
 * @see https://docs.anthropic.com/en/api/messages
 */
export function anthropicTools(tools: readonly ModelTool[]): AnthropicTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: withFlatRoot(inputSchema),
  }));
}
