import type { ModelTool } from '../model-tools/model-tool.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { Rendering } from '../results/rendering.js';
import { type DefinitionOptions, flattenRoot } from './flatten-root.js';
import type { Toolset } from '../calls/toolset.js';
import { alwaysLoadedTools, isSearchTool } from '../deferral/search-tool.js';
import { mapContent } from './result-content.js';

/** A tool of the Messages API, assignable to `Anthropic.Tool`. */
export type AnthropicTool = {
  /** The name in `tool_use` blocks: {@link ModelTool.name}. */
  name: string;
  /** {@link ModelTool.description}. */
  description: string;
  /** {@link ModelTool.inputSchema}, without `anyOf`, `oneOf` and `allOf` at its root. */
  input_schema: ModelSchema;
  /** Set for a tool that a search has loaded with `defer.native: 'anthropic'`: its definition is where the search was. */
  defer_loading?: true;
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
    ...(tool.deferLoading === true && { defer_loading: true }),
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
    | {
        type: 'image';
        source: {
          type: 'base64';
          media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
          data: string;
        };
      }
    | { type: 'tool_reference'; tool_name: string }
  )[];
  /** True if the call or the tool failed. */
  is_error: boolean;
};

type Content = AnthropicToolResult['content'][number];
type ImageType = (Content & { type: 'image' })['source']['media_type'];

/**
 * Converts a result for the Messages API. The API accepts no audio, and no images in the result of a failed call: they are
 * described in the text instead. With `defer.native: 'anthropic'`, the result of a search has `tool_reference` blocks, which the
 * API replaces by the definitions of the tools.
 * @param toolUseId The `id` of the `tool_use` block.
 * @see https://docs.anthropic.com/en/api/messages (`tool_result`)
 * @example
 * ```ts
 * const { rendering } = await offered.run(block.name, block.input);
 * messages.push({ role: 'user', content: [anthropicToolResult(block.id, rendering)] });
 * ```
 */
export function anthropicToolResult(toolUseId: string, rendering: Rendering): AnthropicToolResult {
  const { toolReferences = [], isError } = rendering;
  const content =
    toolReferences.length > 0
      ? toolReferences.map(({ name }): Content => ({ type: 'tool_reference', tool_name: name }))
      : mapContent<Content>(
          rendering,
          (part) => part.type === 'image' && !isError,
          (text) => ({ type: 'text', text }),
          ({ mimeType, data }) => ({
            type: 'image',
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a rendered image has one of these four types
            source: { type: 'base64', media_type: mimeType as ImageType, data },
          }),
        );
  return { type: 'tool_result', tool_use_id: toolUseId, is_error: isError, content };
}

/**
 * Converts a toolset with deferred tools for the search that Anthropic's servers run: all tools are sent, and those that can be
 * found have `defer_loading`. The list is the same in every turn. Accepts at most 10 000 tools.
 * @param options `variant`: how the model searches, in words (`bm25`, the default) or with regular expressions.
 * @returns tools that are assignable to `Anthropic.ToolUnion`.
 * @see https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/tool-search-tool
 * @example
 * ```ts
 * const request = { tools: anthropicSearchTools(tools.snapshot(conversation)) };
 * ```
 */
export function anthropicSearchTools(
  turn: Pick<Toolset, 'tools' | 'deferred'>,
  { variant = 'bm25' }: { readonly variant?: 'bm25' | 'regex' | undefined } = {},
): (
  | AnthropicTool
  | { type: 'tool_search_tool_bm25_20251119'; name: 'tool_search_tool_bm25' }
  | { type: 'tool_search_tool_regex_20251119'; name: 'tool_search_tool_regex' }
)[] {
  if (turn.deferred.length === 0) return anthropicTools(turn.tools.filter((tool) => !isSearchTool(tool)));
  return [
    variant === 'bm25'
      ? { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }
      : { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    ...anthropicTools(alwaysLoadedTools(turn)),
    ...anthropicTools(turn.deferred).map((tool) => ({ ...tool, defer_loading: true as const })),
  ];
}
