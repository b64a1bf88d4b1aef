import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { CatalogTool, ToolRef } from '@mcp-fittings/host';
import type { ToolsOptions } from '../create-tools.js';
import { prepareTool, type PreparedTool } from './model-tool.js';
import { pairKey } from '../names/keys.js';
import { toolVisibility } from '../permissions/tool-visibility.js';
import type { SchemaLimits } from '../schema/schema-limits.js';

/** A tool that is not offered to the model, and why. */
export interface SkippedTool {
  readonly ref: ToolRef;
  readonly error: FittingsError;
}

/** The tools that are offered, and those that are not. */
export interface OfferedTools {
  readonly offered: readonly PreparedTool[];
  readonly skipped: readonly SkippedTool[];
}

/** Part of the limits that the tools of one server have used so far. */
interface Usage {
  tools: number;
  nodes: number;
  characters: number;
  /** The error of every tool beyond the limits. */
  error?: FittingsError;
}

/** As those of the host, so that it does not read tools that are skipped here. */
const DEFAULT_LIST_LIMITS = {
  maxTools: 10_000,
  maxNodes: 1_000_000,
  maxCharacters: 40_000_000,
};
/** Names are compared, hashed and shortened character by character. The specification recommends at most 128. */
const MAX_NAME_LENGTH = 1_024;

/**
 * Creates a function that prepares the tools of a list for models. A tool that has not changed since the last call keeps its
 * converted schemas. The list is bounded before anything in it is sorted, compared or converted.
 */
export function createToolOffer(
  options: Pick<ToolsOptions, 'schemaLimits' | 'listLimits' | 'includeAppTools'>,
): (list: readonly CatalogTool[]) => OfferedTools {
  const limits = { ...DEFAULT_LIST_LIMITS, ...options.listLimits };
  let known = new Map<string, PreparedTool | SkippedTool>();

  return (list) => {
    const next: typeof known = new Map();
    const servers = new Map<string, Usage>();
    const names = new Set<string>();
    const offered: PreparedTool[] = [];
    const skipped: SkippedTool[] = [];
    for (const tool of list) {
      const ref = { server: tool.server, tool: tool.name };
      const usage: Usage = servers.get(tool.server) ?? { tools: 0, nodes: 0, characters: 0 };
      servers.set(tool.server, usage);
      const skip = (error: FittingsError): void => void skipped.push({ ref, error });
      if (
        usage.tools >= limits.maxTools ||
        usage.nodes > limits.maxNodes ||
        usage.characters > limits.maxCharacters
      ) {
        skip((usage.error ??= listTooLarge(tool.server)));
        continue;
      }
      usage.tools++;
      const problem = nameProblem(ref);
      if (problem !== undefined) {
        skip(problem);
        continue;
      }
      if (options.includeAppTools !== true && !toolVisibility(tool).model) {
        skip(forAppOnly(ref));
        continue;
      }
      const name = pairKey(tool.server, tool.name);
      if (names.has(name)) {
        skip(listedTwice(ref));
        continue;
      }
      names.add(name);
      const key = pairKey(name, tool.digest);
      const prepared = known.get(key) ?? prepareOrSkip(tool, ref, options.schemaLimits ?? {});
      next.set(key, prepared);
      if ('error' in prepared) {
        skipped.push(prepared);
        continue;
      }
      usage.nodes += prepared.cost.nodes;
      usage.characters += prepared.cost.characters;
      if (usage.nodes > limits.maxNodes || usage.characters > limits.maxCharacters)
        skip((usage.error ??= listTooLarge(tool.server)));
      else offered.push(prepared);
    }
    known = next;
    return { offered, skipped };
  };
}

function prepareOrSkip(
  tool: CatalogTool,
  ref: ToolRef,
  limits: Partial<SchemaLimits>,
): PreparedTool | SkippedTool {
  try {
    return prepareTool(tool, limits);
  } catch (error) {
    if (error instanceof FittingsError) return { ref, error };
    throw error;
  }
}

const show = (text: string): string => sanitizeText(text, { maxLength: 128 });

function listTooLarge(server: string): FittingsError {
  return new FittingsError(
    'SCHEMA_REFUSED',
    `The tools of the server "${show(server)}" exceed the list limits.`,
    {
      server,
      hint: 'Ask the author of the server for fewer or smaller tools, or raise `listLimits`.',
    },
  );
}

/** Returns the error of a tool whose name is too long. */
export function nameProblem({ server, tool }: ToolRef): FittingsError | undefined {
  if (tool.length <= MAX_NAME_LENGTH) return undefined;
  return new FittingsError(
    'PROTOCOL_VIOLATION',
    `The server "${show(server)}" lists a tool whose name has more than ${MAX_NAME_LENGTH} characters.`,
    { server },
  );
}

function forAppOnly({ server, tool }: ToolRef): FittingsError {
  return new FittingsError(
    'POLICY_DENIED',
    `The server "${show(server)}" offers the tool "${show(tool)}" to its app, not to models.`,
    { server, hint: 'To offer such tools to models, set `includeAppTools`.' },
  );
}

/** Returns the error of a tool whose server has another one of the same name. */
export function listedTwice({ server, tool }: ToolRef): FittingsError {
  return new FittingsError(
    'PROTOCOL_VIOLATION',
    `The server "${show(server)}" lists more than one tool named "${show(tool)}".`,
    { server },
  );
}
