import { FittingsError } from '@mcp-fittings/client-core';
import { matchesWildcard } from '@mcp-fittings/toolbox/text';
import type { ModelTool } from '../model-tools/model-tool.js';

/** Options of deferred tools: {@link ToolsOptions.defer}. */
export interface DeferOptions {
  /**
   * Decides when tools are deferred. `never`: the model is offered all tools. `always`: it is offered `tool_search`, and the tools that it
   * has found. `auto`, the default: as `always` if the definitions of all tools exceed `thresholdTokens`, otherwise as `never`.
   */
  readonly mode?: 'auto' | 'always' | 'never' | undefined;
  /** Tokens of the definitions of all tools above which the mode `auto` defers them. Default 10 000. */
  readonly thresholdTokens?: number | undefined;
  /**
   * Counts the tokens of a definition, which is JSON. Default: a quarter of its characters. It is called once for each
   * tool, until the threshold is exceeded.
   */
  readonly countTokens?: ((text: string) => number) | undefined;
  /**
   * The tools that are never deferred: names as the model sees them, in which `*` stands for any text, or a function. Default:
   * none.
   */
  readonly alwaysLoaded?: readonly string[] | ((tool: ModelTool) => boolean) | undefined;
  /** Maximum number of tools that one search finds and loads. Default 5. */
  readonly maxResults?: number | undefined;
  /**
   * Maximum number of tools that a conversation has loaded. If a search exceeds it, the oldest quarter is unloaded. Default 100, and
   * 10 000 with `native: 'anthropic'`, because earlier messages must not refer to a tool that is not in the request.
   */
  readonly maxLoaded?: number | undefined;
  /**
   * Maximum UTF-8 bytes of the list in the description of `tool_search`. What fits is listed: names with descriptions, names, or
   * servers. Default 8000.
   */
  readonly maxListBytes?: number | undefined;
  /**
   * Loads tools in the form that a model API has for it, so that its prompt cache stays valid: `anthropic` for
   * {@link anthropicTools} and {@link anthropicToolResult}, `openai` for {@link openAiResponsesTools} and
   * {@link openAiToolSearchOutput}. Default: none, for all APIs: what was found is in the list of tools of the next request.
   */
  readonly native?: 'anthropic' | 'openai' | undefined;
}

/** The options with their defaults. */
export type DeferSettings = NonNullable<ReturnType<typeof readDefer>>;

const MODES: ReadonlySet<unknown> = new Set<DeferOptions['mode']>(['auto', 'always', 'never']);
const CHARACTERS_PER_TOKEN = 4;
/** OpenAI accepts 128 tools in a request. */
export const DEFAULT_MAX_LOADED = 100;
/** Anthropic accepts 10 000 tools in a request, and deferred ones cost no tokens. */
const MAX_REFERENCES = 10_000;

/** Returns the settings, or undefined if tools are never deferred. Throws `CONFIG_INVALID` for an invalid option. */
export function readDefer(defer: DeferOptions['mode'] | DeferOptions) {
  const options: DeferOptions = typeof defer === 'object' ? defer : { mode: defer ?? 'never' };
  const { mode = 'auto', alwaysLoaded = [], native } = options;
  if (!MODES.has(mode)) throw invalid('mode', '"auto", "always" or "never"');
  if (native !== undefined && native !== 'anthropic' && native !== 'openai')
    throw invalid('native', '"anthropic" or "openai"');
  const count = (name: 'maxResults' | 'maxLoaded' | 'maxListBytes', standard: number, least = 1): number => {
    const value = options[name] ?? standard;
    if (!Number.isSafeInteger(value) || value < least) throw invalid(name, `an integer of at least ${least}`);
    return value;
  };
  const { thresholdTokens = 10_000 } = options;
  if (typeof thresholdTokens !== 'number' || !(thresholdTokens >= 0))
    throw invalid('thresholdTokens', 'a number of at least 0');
  const settings = {
    thresholdTokens,
    countTokens: options.countTokens ?? ((text: string) => text.length / CHARACTERS_PER_TOKEN),
    isAlwaysLoaded:
      typeof alwaysLoaded === 'function'
        ? alwaysLoaded
        : ({ name }: ModelTool) => alwaysLoaded.some((pattern) => matchesWildcard(name, pattern)),
    maxResults: count('maxResults', 5),
    maxLoaded: count('maxLoaded', native === 'anthropic' ? MAX_REFERENCES : DEFAULT_MAX_LOADED, 4),
    maxListBytes: count('maxListBytes', 8_000, 0),
    native,
  };
  return mode === 'never' ? undefined : { mode, ...settings };
}

function invalid(option: string, expected: string): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    `The option defer.${option} is invalid: it must be ${expected}.`,
  );
}
