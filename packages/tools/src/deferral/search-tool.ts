import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { didYouMean, sanitizeText } from '@mcp-fittings/toolbox/text';
import type { LastToolEvent, Toolset } from '../calls/toolset.js';
import { hashPair } from '../names/keys.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import { nameTool, prepareTool, type ModelTool } from '../model-tools/model-tool.js';
import { renderError, renderingOf } from '../results/render-result.js';
import { oneLine } from './tool-texts.js';

/** The name of the tool with which a model searches for tools. No tool of a server gets it while `defer` is set. */
export const TOOL_SEARCH = 'tool_search';

/** The names of the search tools of model APIs, which no tool of a server may have next to them. */
export const RESERVED_NAMES: readonly string[] = [
  TOOL_SEARCH,
  'tool_search_tool_bm25',
  'tool_search_tool_regex',
];

/** Short enough for OpenAI, which accepts 1024 characters: the list that follows is moved elsewhere for its APIs. */
const INTRODUCTION =
  'Finds tools and loads them. More tools are available than you have been given, and a tool must be loaded before you call it. ' +
  'Search with a few words for what you want to do, such as "create issue"; "+github create issue" finds only tools with ' +
  '"github" in their name. If you know the names, load the tools with "select:" and the names, separated by commas. ' +
  'What is found can be called in your next step, and stays loaded in this conversation. If nothing fits, search again with other words.';
const LIST_HEADING = 'Available tools, as their servers describe them:';

const SCHEMA: ModelSchema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description: 'Words to search for, or "select:" and exact names, separated by commas.',
    },
  },
  required: ['query'],
  // OpenAI's strict mode requires it. Other members are ignored.
  additionalProperties: false,
};
const MAX_QUERY = 2_000;
const MAX_SELECTED = 20;
/** To compare a name with ten thousand others takes a while. */
const MAX_SUGGESTED = 3;
const MAX_RESULT_LINE = 240;
const SELECT = /^\s*select\s*:/i;

/** Creates `tool_search` as a tool for models. Its `ref` has an empty server. */
export function createSearchTool(list: string): ModelTool {
  const description = list === '' ? INTRODUCTION : `${INTRODUCTION}\n\n${LIST_HEADING}\n${list}`;
  const prepared = prepareTool(
    {
      server: '',
      name: TOOL_SEARCH,
      title: 'Search for tools',
      description,
      inputSchema: SCHEMA,
      annotations: { readOnlyHint: true },
      digest: hashPair(TOOL_SEARCH, description),
    },
    {},
  );
  // The list has a limit of its own.
  return { ...nameTool(prepared, TOOL_SEARCH), description };
}

/** Returns whether a tool is `tool_search`, and not one of a server. */
export const isSearchTool = ({ name, ref }: ModelTool): boolean => name === TOOL_SEARCH && ref.server === '';

/** Returns the tools of a turn that are offered without a search. */
export function alwaysLoadedTools(turn: Pick<Toolset, 'tools' | 'deferred'>): readonly ModelTool[] {
  const deferred = new Set(turn.deferred.map(({ name }) => name));
  return turn.tools.filter(
    (tool) => !isSearchTool(tool) && !deferred.has(tool.name) && tool.deferLoading !== true,
  );
}

/** Moves the list of tools to the description of the parameter, for APIs whose tools have short descriptions. */
export function withShortDescription(tool: ModelTool, maxLength: number): ModelTool {
  if (!isSearchTool(tool) || tool.description.length <= maxLength) return tool;
  const { query } = SCHEMA.properties;
  const list = tool.description.slice(INTRODUCTION.length).trim();
  const description = `${isRecord(query) ? String(query['description']) : ''}\n\n${list}`;
  return {
    ...tool,
    description: INTRODUCTION,
    inputSchema: { ...SCHEMA, properties: { query: { type: 'string', description } } },
  };
}

/** Dependencies of {@link runSearch}. */
export interface SearchDeps {
  /** Returns a tool that may be found, by its name. */
  readonly find: (name: string) => ModelTool | undefined;
  readonly names: () => Iterable<string>;
  /** Returns the best tools for words, best first. */
  readonly search: (query: string) => readonly ModelTool[];
  readonly load: (tools: readonly ModelTool[]) => void;
  /** Returns true if the result refers to a tool that was found, in a form for the converter of a model API. */
  readonly isReferred: (tool: ModelTool) => boolean;
}

/** Runs `tool_search`. */
export function runSearch(deps: SearchDeps, args: unknown): LastToolEvent {
  const query: unknown = isRecord(args) ? args['query'] : undefined;
  if (typeof query !== 'string' || query.trim() === '') {
    const error = new FittingsError(
      'ARGUMENTS_INVALID',
      `The arguments of ${TOOL_SEARCH} are invalid: query is not a text.`,
      {
        delivery: 'not-sent',
        hint: 'Pass words to search for, such as { "query": "create issue" }.',
      },
    );
    return { type: 'error', error, rendering: renderError(error) };
  }
  const { found, missing } = findTools(deps, query.slice(0, MAX_QUERY));
  deps.load(found);
  const toolReferences = found.filter((tool) => deps.isReferred(tool));
  const lines = found.map((tool) => `- ${tool.name}: ${oneLine(tool.description, MAX_RESULT_LINE)}`);
  const text = [
    found.length > 0
      ? `Loaded ${found.length === 1 ? '1 tool' : `${found.length} tools`}, which you can call now:`
      : `No tool was found for "${show(query)}". Search with other words.`,
    ...lines,
    ...missing.map((name, at) => missingLine(name, at < MAX_SUGGESTED ? deps.names() : [])),
  ].join('\n');
  const content = [{ type: 'text' as const, text }];
  return {
    type: 'result',
    result: { content },
    issues: [],
    rendering: { ...renderingOf(content, false), ...(toolReferences.length > 0 && { toolReferences }) },
  };
}

function findTools(
  { find, search }: SearchDeps,
  query: string,
): { readonly found: readonly ModelTool[]; readonly missing: readonly string[] } {
  if (!SELECT.test(query)) {
    const exact = find(query.trim());
    return { found: exact === undefined ? search(query) : [exact], missing: [] };
  }
  const wanted = query.replace(SELECT, '').split(/[,\s]+/);
  const names = [...new Set(wanted)].filter((name) => name !== '').slice(0, MAX_SELECTED);
  const found = names.flatMap((name) => find(name) ?? []);
  return { found, missing: names.filter((name) => find(name) === undefined) };
}

function missingLine(name: string, names: Iterable<string>): string {
  return `There is no tool named "${show(name)}". ${didYouMean(name, names, '')}`.trimEnd();
}

const show = (text: string): string => sanitizeText(text, { maxLength: 128 });
