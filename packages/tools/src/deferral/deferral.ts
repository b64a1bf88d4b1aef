import { setImmediate } from 'node:timers/promises';
import { FittingsError } from '@mcp-fittings/client-core';
import type { ToolHost } from '../tool-host.js';
import type { LastToolEvent, Toolset } from '../calls/toolset.js';
import { boundedJson } from '../json/bounded-json.js';
import { forSameList, nameTool, prepareTool, type ModelTool } from '../model-tools/model-tool.js';
import { renderError } from '../results/render-result.js';
import type { DeferSettings } from './defer-options.js';
import { createSearchTool, runSearch, TOOL_SEARCH } from './search-tool.js';
import { createToolConversation, type ToolConversation } from './tool-conversation.js';
import { ToolIndex, type InstructionsOf } from './tool-index.js';
import { listTools } from './tool-list.js';

/** Number of tools that are read for the index before other work gets its turn. */
const SLICE = 100;
/** Longest part of a server's instructions that is searched and shown. */
const MAX_INSTRUCTIONS = 500;
/** Longest schema in the error of a call of a tool that the model was not shown. */
const MAX_SCHEMA = 3_000;

/**
 * Defers most tools of a toolset, if the settings say so. The index is made at the first search, and updated at every further one.
 */
export class Deferral {
  readonly #settings: DeferSettings;
  readonly #instructions: () => InstructionsOf;
  readonly #index = new ToolIndex();
  readonly #tokens = new WeakMap<ModelTool, number>();
  readonly #divide = forSameList((tools: readonly ModelTool[]) => this.#divided(tools));
  #search: { readonly list: string; readonly tool: ModelTool } | undefined;

  /** @param agreed Returns the instructions of servers that the user has agreed to. Default: those of the host count. */
  constructor(
    settings: DeferSettings,
    host: ToolHost,
    principal: string | undefined,
    agreed: (() => ReadonlyMap<string, string>) | undefined,
  ) {
    this.#settings = settings;
    this.#instructions = serverInstructions(host, principal, agreed);
  }

  /** Turns a toolset with all tools into one that defers most of them. */
  apply(all: Toolset, given?: ToolConversation): Toolset {
    const { mode, maxLoaded, maxListBytes, native } = this.#settings;
    // What was loaded stays the list of tools, even if servers go: to change the list costs the prompt cache.
    const defers = mode === 'always' || (given?.loaded.length ?? 0) > 0 || this.#exceedsThreshold(all.tools);
    if (!defers) return all;
    const conversation = given ?? createToolConversation(maxLoaded);
    const { byName, always, isDeferred, deferred } = this.#divide(all.tools);
    if (deferred.length === 0 && conversation.loaded.length === 0) return all;
    const instructionsOf = this.#instructions();
    const search = this.#searchTool(listTools(deferred, instructionsOf, maxListBytes));
    const active = (): readonly ModelTool[] => [
      search,
      ...always,
      ...loadedTools(conversation, all, byName, native).filter((tool) => isDeferred(tool)),
    ];
    const load = (tools: readonly ModelTool[]): void =>
      conversation.load(
        tools
          .filter((tool) => isDeferred(tool))
          .map(({ name, ref }) => ({ name, server: ref.server, tool: ref.tool })),
      );
    const searchFor = async (args: unknown): Promise<LastToolEvent> => {
      const find = await this.#finder(deferred, instructionsOf);
      return runSearch(
        {
          find: (name) => byName.get(name),
          names: () => byName.keys(),
          search: find,
          load,
          isReferred: (tool) => native !== undefined && isDeferred(tool),
        },
        args,
      );
    };
    const tools = active();
    const shown = new Set(tools.map(({ name }) => name));
    /** A model may call a tool that it knows from the list, or from an earlier conversation. */
    const loadForCall = (name: string): ModelTool | undefined => {
      const tool = shown.has(name) ? undefined : byName.get(name);
      // In the form of a model API, the definition must have been in a result of a search.
      if (tool !== undefined && native === undefined) load([tool]);
      return tool;
    };
    return {
      ...all,
      tools,
      deferred,
      activeTools: active,
      async *call(name, args, options) {
        if (name === TOOL_SEARCH) {
          yield await searchFor(args);
          return;
        }
        const unseen = loadForCall(name);
        for await (const event of all.call(name, args, options)) {
          yield event.type === 'error' ? withSchema(event, unseen) : event;
        }
      },
      async run(name, args, options) {
        if (name === TOOL_SEARCH) return searchFor(args);
        const unseen = loadForCall(name);
        const event = await all.run(name, args, options);
        return event.type === 'error' ? withSchema(event, unseen) : event;
      },
    };
  }

  #divided(tools: readonly ModelTool[]): {
    readonly byName: ReadonlyMap<string, ModelTool>;
    readonly always: readonly ModelTool[];
    readonly isDeferred: (tool: ModelTool) => boolean;
    readonly deferred: readonly ModelTool[];
  } {
    const always = tools.filter((tool) => this.#settings.isAlwaysLoaded(tool));
    const kept = new Set(always.map(({ name }) => name));
    const isDeferred = ({ name }: ModelTool): boolean => !kept.has(name);
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return { byName, always, isDeferred, deferred: tools.filter(isDeferred) };
  }

  /** Returns the same tool as long as its list is the same. */
  #searchTool(list: string): ModelTool {
    if (this.#search?.list !== list) this.#search = { list, tool: createSearchTool(list) };
    return this.#search.tool;
  }

  /** Brings the index up to date, and resolves with the function that searches it. */
  async #finder(
    deferred: readonly ModelTool[],
    instructionsOf: InstructionsOf,
  ): Promise<(query: string) => readonly ModelTool[]> {
    for (let at = 0; at < deferred.length; at += SLICE) {
      if (this.#index.read(deferred.slice(at, at + SLICE), instructionsOf) > 0) await setImmediate();
    }
    return (query) => {
      this.#index.update(deferred, instructionsOf);
      return this.#index.search(query, this.#settings.maxResults);
    };
  }

  /** Returns whether the definitions of tools exceed the threshold. Each tool is counted once. */
  #exceedsThreshold(tools: readonly ModelTool[]): boolean {
    let tokens = 0;
    return tools.some((tool) => (tokens += this.#tokensOf(tool)) > this.#settings.thresholdTokens);
  }

  #tokensOf(tool: ModelTool): number {
    const { name, description, inputSchema } = tool;
    const count =
      this.#tokens.get(tool) ??
      this.#settings.countTokens(JSON.stringify({ name, description, input_schema: inputSchema }));
    this.#tokens.set(tool, count);
    return count;
  }
}

/** Returns what the conversation has loaded and still exists, in the order in which it was loaded. */
function loadedTools(
  { loaded }: ToolConversation,
  { names }: Toolset,
  byName: ReadonlyMap<string, ModelTool>,
  native: DeferSettings['native'],
): readonly ModelTool[] {
  const tools = loaded.flatMap((entry) => {
    // Earlier messages refer to the name, and the API rejects a reference to a tool that is not defined.
    if (native === 'anthropic') return withDeferLoading(byName.get(entry.name) ?? goneTool(entry.name));
    return byName.get(names.nameOf(entry) ?? '') ?? [];
  });
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}

/** Returns the tool, marked as one whose definition is in the result of a search. */
function withDeferLoading(tool: ModelTool): ModelTool {
  return tool.deferLoading === true ? tool : nameTool(tool, tool.name, { deferLoading: true });
}

/**
 * Returns a tool in place of one that was loaded and that no server has now. Anthropic rejects a request in which a message
 * refers to a tool that is not defined. A call of it fails with `TOOL_UNKNOWN`.
 */
function goneTool(name: string): ModelTool {
  const description = 'This tool is not available now. Do not call it.';
  const tool = { server: '', name, title: name, description, inputSchema: { type: 'object' }, digest: name };
  return nameTool(prepareTool(tool, {}), name, { deferLoading: true });
}

/** Adds the schema to the error of a call whose arguments the model had to guess. */
function withSchema(event: LastToolEvent & { type: 'error' }, unseen: ModelTool | undefined): LastToolEvent {
  if (unseen === undefined || event.error.code !== 'ARGUMENTS_INVALID') return event;
  const { message, server, delivery, cause } = event.error;
  const schema = boundedJson(unseen.inputSchema, MAX_SCHEMA);
  const error = new FittingsError('ARGUMENTS_INVALID', message, {
    hint: `Call the tool again with arguments that match its schema:\n${schema}`,
    cause,
    ...(server !== undefined && { server }),
    ...(delivery !== undefined && { delivery }),
  });
  return { type: 'error', error, rendering: renderError(error) };
}

/**
 * Creates a function that reads the instructions of the servers. A server that is disconnected keeps its last ones, so that the list of
 * tools does not change with it.
 */
function serverInstructions(
  host: ToolHost,
  principal: string | undefined,
  agreed: (() => ReadonlyMap<string, string>) | undefined,
): () => InstructionsOf {
  let known: ReadonlyMap<string, { readonly identity: string; readonly text: string }> = new Map();
  return () => {
    const now = new Map<string, { readonly identity: string; readonly text: string }>();
    const texts = agreed?.();
    for (const { name, identity, state } of host.servers({ principal })) {
      const given: unknown = texts === undefined ? state?.connection?.instructions : (texts.get(name) ?? '');
      const text = typeof given === 'string' ? given.slice(0, MAX_INSTRUCTIONS) : undefined;
      const before = known.get(name);
      now.set(name, { identity, text: text ?? (before?.identity === identity ? before.text : '') });
    }
    known = now;
    return (server) => now.get(server)?.text ?? '';
  };
}
