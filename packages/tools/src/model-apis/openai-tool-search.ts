import { truncateText } from '@mcp-fittings/toolbox/text';
import type { Toolset } from '../calls/toolset.js';
import { alwaysLoadedTools, isSearchTool, withShortDescription } from '../deferral/search-tool.js';
import { byServer } from '../deferral/tool-list.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { Rendering } from '../results/rendering.js';
import {
  openAiFunction,
  openAiResponsesTools,
  type OpenAiOptions,
  type OpenAiResponsesTool,
} from './openai.js';

/** Longer names of namespaces are shortened. */
const MAX_NAMESPACE = 64;
const MAX_NAMESPACE_DESCRIPTION = 500;
const MAX_DESCRIPTION = 1_024;

/**
 * Converts a toolset with deferred tools for the search for tools of the Responses API. What a search has found is not among the
 * tools but in the input, so that the prompt cache stays valid.
 * @returns tools that are assignable to `OpenAI.Responses.Tool`.
 * @see https://developers.openai.com/api/docs/guides/tools-tool-search
 * @example
 * ```ts
 * const tools = createTools(host, { defer: { mode: 'auto', native: 'openai' } });
 * const turn = tools.snapshot(conversation);
 * const request = { tools: openAiSearchTools(turn) };
 * ```
 */
export function openAiSearchTools(
  turn: Pick<Toolset, 'tools' | 'deferred'>,
  options: OpenAiOptions & {
    /**
     * Chooses who searches. `client`: this program, which answers each `tool_search_call` with {@link openAiToolSearchOutput}; needs
     * `defer.native: 'openai'`. `server`: OpenAI, to which all tools are sent, in a namespace for each server. Default `client`.
     */
    readonly execution?: 'client' | 'server' | undefined;
  } = {},
): (
  | OpenAiResponsesTool
  | { type: 'tool_search' }
  | { type: 'tool_search'; execution: 'client'; description: string; parameters: ModelSchema }
  | {
      /** Marks the tools as a namespace. */
      type: 'namespace';
      /** Made of the name of the server. */
      name: string;
      /** Tells the number of tools of the server, and the names of the first ones. */
      description: string;
      /** The tools, which the model gets when it has found them. */
      tools: (OpenAiResponsesTool & { defer_loading: true })[];
    }
)[] {
  const search = turn.tools.find((tool) => isSearchTool(tool));
  if (search === undefined) return openAiResponsesTools(turn.tools, options);
  const always = openAiResponsesTools(alwaysLoadedTools(turn), options);
  if (options.execution === 'server') {
    return turn.deferred.length === 0
      ? always
      : [{ type: 'tool_search' }, ...always, ...namespaces(turn.deferred, options)];
  }
  const { description, inputSchema } = withShortDescription(search, MAX_DESCRIPTION);
  return [{ type: 'tool_search', execution: 'client', description, parameters: inputSchema }, ...always];
}

type Namespace = ReturnType<typeof openAiSearchTools>[number] & { type: 'namespace' };

function namespaces(deferred: readonly ModelTool[], options: OpenAiOptions): Namespace[] {
  const taken = new Set<string>();
  return byServer(deferred).map(([server, tools]) => {
    const plain = server.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, MAX_NAMESPACE) || '_';
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain.slice(0, MAX_NAMESPACE - 7)}_${number}`;
    taken.add(name);
    const names = tools.map((tool) => tool.name).join(', ');
    return {
      type: 'namespace',
      name,
      description: truncateText(`${tools.length} tools: ${names}`, MAX_NAMESPACE_DESCRIPTION),
      tools: tools.map((tool) => loadable(tool, options)),
    };
  });
}

const loadable = (
  tool: ModelTool,
  options: OpenAiOptions,
): OpenAiResponsesTool & { defer_loading: true } => ({
  ...openAiFunction(tool, options),
  defer_loading: true,
});

/**
 * Converts the result of `tool_search` for the Responses API. Needs `defer.native: 'openai'`.
 * @param callId The `call_id` of the `tool_search_call`.
 * @returns an item that is assignable to `OpenAI.Responses.ResponseInputItem`.
 * @example
 * ```ts
 * for (const item of response.output) {
 *   if (item.type !== 'tool_search_call') continue;
 *   const { rendering } = await turn.run('tool_search', item.arguments);
 *   input.push(item, openAiToolSearchOutput(item.call_id, rendering));
 * }
 * ```
 */
export function openAiToolSearchOutput(
  callId: string | null,
  rendering: Rendering,
  options: OpenAiOptions = {},
): {
  /** Marks the item as the output of a search for tools. */
  type: 'tool_search_output';
  /** The `call_id` of the `tool_search_call`. */
  call_id: string | null;
  /** Says that this program searched. */
  execution: 'client';
  /** The search has ended. */
  status: 'completed';
  /** The tools that the model can call now. Empty if nothing was found. */
  tools: (OpenAiResponsesTool & { defer_loading: true })[];
} {
  const tools = (rendering.toolReferences ?? []).map((tool) => loadable(tool, options));
  return { type: 'tool_search_output', call_id: callId, execution: 'client', status: 'completed', tools };
}
