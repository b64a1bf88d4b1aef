import { setImmediate } from 'node:timers/promises';
import { FittingsError } from '@mcp-fittings/client-core';
import type { ToolHost } from '../calls/call-tool.js';
import type { LastToolEvent } from '../calls/tool-event.js';
import type { Toolset } from '../calls/toolset.js';
import { boundedJson } from '../json/bounded-json.js';
import { forSameList } from '../model-tools/for-same-list.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import { renderError } from '../results/render-result.js';
import type { DeferSettings } from './defer-options.js';
import { createSearchTool, runSearch, TOOL_SEARCH } from './search-tool.js';
import { createToolConversation, type ToolConversation } from './tool-conversation.js';
import { createToolIndex } from './tool-index.js';
import { listTools } from './tool-list.js';
import { goneTool, withDeferLoading } from './native-tools.js';
import { textsOf } from './tool-texts.js';

/** How many tools are read for the index before other work gets its turn. */
const SLICE = 100;
/** Longest part of a server's instructions that is searched and shown. */
const MAX_INSTRUCTIONS = 500;
/** Longest schema in the error of a call of a tool that the model was not shown. */
const MAX_SCHEMA = 3_000;

/** Turns a toolset with all tools into one that defers most of them, if the settings say so. */
export type Deferral = (all: Toolset, conversation?: ToolConversation) => Toolset;

/** What the deferral of one set of tools uses. */
export interface DeferralDeps {
  readonly host: ToolHost;
  readonly principal: string | undefined;
  /** Returns the instructions of servers that the user has agreed to. Without it, those of the host count. */
  readonly instructions: (() => ReadonlyMap<string, string>) | undefined;
}

/** Creates the deferral of one set of tools. The index is made at the first search, and updated at every further one. */
export function createDeferral(settings: DeferSettings, deps: DeferralDeps): Deferral {
  const index = createToolIndex<ModelTool>();
  const instructionsOf = rememberInstructions(deps);
  const exceeds = createTokenLimit(settings);
  const divide = forSameList((tools: readonly ModelTool[]) => {
    const always = tools.filter((tool) => settings.isAlwaysLoaded(tool));
    const kept = new Set(always.map(({ name }) => name));
    const isDeferred = ({ name }: ModelTool): boolean => !kept.has(name);
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return { byName, always, isDeferred, deferred: tools.filter(isDeferred) };
  });
  let last: { readonly list: string; readonly tool: ModelTool } | undefined;
  const searchToolFor = (list: string): ModelTool => {
    if (last?.list !== list) last = { list, tool: createSearchTool(list) };
    return last.tool;
  };

  return (all, given) => {
    // What was loaded stays the list of tools, even if servers go: to change the list costs the prompt cache.
    const defers = settings.mode === 'always' || (given?.loaded.length ?? 0) > 0 || exceeds(all.tools);
    if (!defers) return all;
    const conversation = given ?? createToolConversation(settings.maxLoaded);
    const { byName, always, isDeferred, deferred } = divide(all.tools);
    if (deferred.length === 0 && conversation.loaded.length === 0) return all;
    const instructions = instructionsOf();
    const search = searchToolFor(listTools(deferred, instructions, settings.maxListBytes));
    const active = (): readonly ModelTool[] => [
      search,
      ...always,
      ...loadedTools(conversation, all, byName, settings.native).filter((tool) => isDeferred(tool)),
    ];
    const load = (tools: readonly ModelTool[]): void =>
      conversation.load(
        tools
          .filter((tool) => isDeferred(tool))
          .map(({ name, ref }) => ({ name, server: ref.server, tool: ref.tool })),
      );
    const searchFor = async (args: unknown): Promise<LastToolEvent> => {
      const textOf = ({ ref }: ModelTool): string => instructions(ref.server);
      const indexed = {
        versionOf: textOf,
        textsOf: (tool: ModelTool) => textsOf(tool, textOf(tool)),
        groupOf: ({ ref }: ModelTool) => ref.server,
      };
      for (let at = 0; at < deferred.length; at += SLICE) {
        if (index.read(deferred.slice(at, at + SLICE), indexed) > 0) await setImmediate();
      }
      return runSearch(
        {
          find: (name) => byName.get(name),
          names: () => byName.keys(),
          search(query) {
            index.update(deferred, indexed);
            return index.search(query, settings.maxResults);
          },
          load,
          isReferred: (tool) => settings.native !== undefined && isDeferred(tool),
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
      if (tool !== undefined && settings.native === undefined) load([tool]);
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
  };
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
    const tool = byName.get(names.nameOf(entry) ?? '');
    if (tool === undefined) return [];
    return tool;
  });
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
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

/** Returns a function that says whether the definitions of tools exceed the threshold. Each tool is counted once. */
function createTokenLimit({
  mode,
  countTokens,
  thresholdTokens,
}: DeferSettings): (tools: readonly ModelTool[]) => boolean {
  const counts = new WeakMap<ModelTool, number>();
  const countOf = (tool: ModelTool): number => {
    const { name, description, inputSchema } = tool;
    const count =
      counts.get(tool) ?? countTokens(JSON.stringify({ name, description, input_schema: inputSchema }));
    counts.set(tool, count);
    return count;
  };
  return (tools) => {
    if (mode === 'always') return true;
    let tokens = 0;
    return tools.some((tool) => (tokens += countOf(tool)) > thresholdTokens);
  };
}

/**
 * Returns a function that reads the instructions of the servers. A server that is disconnected keeps its last ones, so that the
 * list of tools does not change with it.
 */
function rememberInstructions({
  host,
  principal,
  instructions,
}: DeferralDeps): () => (server: string) => string {
  let known: ReadonlyMap<string, { readonly identity: string; readonly text: string }> = new Map();
  return () => {
    const now = new Map<string, { readonly identity: string; readonly text: string }>();
    const agreed = instructions?.();
    for (const { name, identity, state } of host.servers?.({ principal }) ?? []) {
      const given: unknown =
        agreed === undefined ? state?.connection?.instructions : (agreed.get(name) ?? '');
      const text = typeof given === 'string' ? given.slice(0, MAX_INSTRUCTIONS) : undefined;
      const before = known.get(name);
      now.set(name, { identity, text: text ?? (before?.identity === identity ? before.text : '') });
    }
    known = now;
    return (server) => now.get(server)?.text ?? '';
  };
}
