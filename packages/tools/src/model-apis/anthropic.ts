import type { ModelTool } from '../model-tools/model-tool.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { Rendering } from '../results/rendering.js';
import type { DefinitionOptions } from './definition-options.js';
import { flattenRoot } from './flatten-root.js';
import { mapContent } from './result-content.js';

/** A tool of the Messages API, assignable to `Anthropic.Tool`. */
export type AnthropicTool = {
  /** The name in `tool_use` blocks: {@link ModelTool.name}. */
  name: string;
  /** {@link ModelTool.description}. */
  description: string;
  /** {@link ModelTool.inputSchema}, without `anyOf`, `oneOf` and `allOf` at its root. */
  input_schema: ModelSchema;
};

/**
 * Converts tools for the Messages API. It rejects schemas with `anyOf`, `oneOf` or `allOf` at the root: their properties are
 * merged into the root, and the check of the arguments still uses the whole schema.
 * @see https://docs.anthropic.com/en/api/messages
 * @example
 * ```ts
 * const offered = tools.snapshot();
 * const request = { tools: anthropicTools(offered.tools) };
 * ```
 */
export function anthropicTools(
  tools: readonly ModelTool[],
  options: DefinitionOptions = {},
): AnthropicTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: flattenRoot(tool, options),
  }));
}

/** A `tool_result` block of the Messages API, assignable to `Anthropic.ToolResultBlockParam`. */
export type AnthropicToolResult = {
  /** Marks the block as the result of a tool. */
  type: 'tool_result';
  /** The `id` of the `tool_use` block. */
  tool_use_id: string;
  /** Never empty. */
  content: (
    | { type: 'text'; text: string }
    | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } }
  )[];
  /** Whether the call or the tool failed. */
  is_error: boolean;
};

/** The image types that the Messages API accepts. */
export type AnthropicImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/**
 * Converts a result for the Messages API. The API accepts no audio, and no images in the result of a failed call: they are
 * described in the text instead.
 * @param toolUseId The `id` of the `tool_use` block.
 * @see https://docs.anthropic.com/en/api/messages (`tool_result`)
 * @example
 * ```ts
 * const { rendering } = await offered.run(block.name, block.input);
 * messages.push({ role: 'user', content: [anthropicToolResult(block.id, rendering)] });
 * ```
 */
export function anthropicToolResult(toolUseId: string, rendering: Rendering): AnthropicToolResult {
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    is_error: rendering.isError,
    content: mapContent<AnthropicToolResult['content'][number]>(
      rendering,
      (part) => part.type === 'image' && !rendering.isError,
      (text) => ({ type: 'text', text }),
      ({ mimeType, data }) => ({
        type: 'image',
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a rendered image has one of these four types
        source: { type: 'base64', media_type: mimeType as AnthropicImageType, data },
      }),
    ),
  };
}
