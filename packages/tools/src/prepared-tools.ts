import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import type { CatalogTool, ToolRef } from '@mcp-fittings/host';
import { prepareTool, type PreparedTool } from './model-tool.js';
import type { SchemaLimits } from './schema/schema-limits.js';

/** A tool that can not be offered to a model. */
export interface LeftOutTool {
  /** As the server and its configuration have it: not fit to show as it is. */
  readonly ref: ToolRef;
  readonly error: FittingsError;
}

export interface PreparedTools {
  readonly good: readonly PreparedTool[];
  readonly left: readonly LeftOutTool[];
}

/** What the tools of one server may need together; those beyond are left out. */
export interface ToolListLimits {
  /** Default 10 000. */
  readonly maxTools: number;
  /** Values in all schemas. Default 400 000. */
  readonly maxNodes: number;
  /** Characters of all schemas. Default 8 000 000. */
  readonly maxCharacters: number;
}

export interface PreparerOptions {
  readonly schemaLimits?: Partial<SchemaLimits> | undefined;
  readonly listLimits?: Partial<ToolListLimits> | undefined;
  /** Also prepare tools that a server marks for its app and not for models. Default false. */
  readonly includeAppTools?: boolean | undefined;
}

/** What one server has used of the limits so far. */
interface Spent {
  tools: number;
  nodes: number;
  characters: number;
  /** One for all tools that are too many. */
  error?: FittingsError;
}

const DEFAULT_LIST_LIMITS: ToolListLimits = { maxTools: 10_000, maxNodes: 400_000, maxCharacters: 8_000_000 };
/** Names are compared, hashed and made fit for model APIs, character by character; the specification asks for 128. */
const LONGEST_NAME = 1_024;

/**
 * Prepares the tools of a catalogue, again and again: one that has not changed keeps its converted schemas, one that is
 * gone is forgotten. What a server lists is bounded before anything is sorted, compared or converted.
 */
export function createPreparer(
  options: PreparerOptions,
): (catalogue: readonly CatalogTool[]) => PreparedTools {
  const limits = { ...DEFAULT_LIST_LIMITS, ...options.listLimits };
  let known = new Map<string, PreparedTool | LeftOutTool>();

  return (catalogue) => {
    const next: typeof known = new Map();
    const servers = new Map<string, Spent>();
    const names = new Set<string>();
    const good: PreparedTool[] = [];
    const left: LeftOutTool[] = [];
    for (const tool of catalogue) {
      const ref = { server: tool.server, tool: tool.name };
      const spent: Spent = servers.get(tool.server) ?? { tools: 0, nodes: 0, characters: 0 };
      servers.set(tool.server, spent);
      const leave = (error: FittingsError): void => void left.push({ ref, error });
      if (
        spent.tools >= limits.maxTools ||
        spent.nodes > limits.maxNodes ||
        spent.characters > limits.maxCharacters
      ) {
        leave((spent.error ??= tooMuch(tool.server)));
        continue;
      }
      spent.tools++;
      if (tool.name.length > LONGEST_NAME) {
        leave(nameTooLong(tool.server));
        continue;
      }
      if (options.includeAppTools !== true && !isForModels(tool)) {
        leave(forAppOnly(tool.server));
        continue;
      }
      const name = JSON.stringify([tool.server, tool.name]);
      if (names.has(name)) {
        leave(listedTwice(tool.server));
        continue;
      }
      names.add(name);
      const key = JSON.stringify([tool.server, tool.name, tool.digest]);
      const prepared = known.get(key) ?? prepareOrLeave(tool, ref, options.schemaLimits ?? {});
      next.set(key, prepared);
      if ('error' in prepared) {
        left.push(prepared);
        continue;
      }
      spent.nodes += prepared.cost.nodes;
      spent.characters += prepared.cost.characters;
      if (spent.nodes > limits.maxNodes || spent.characters > limits.maxCharacters)
        leave((spent.error ??= tooMuch(tool.server)));
      else good.push(prepared);
    }
    known = next;
    return { good, left };
  };
}

/**
 * False for a tool that only the app of its server may call. `ui/visibility` is how earlier drafts spell it, and
 * `openai/visibility` the Apps SDK.
 * @see https://github.com/modelcontextprotocol/ext-apps (SEP-1865)
 */
function isForModels({ _meta: meta }: CatalogTool): boolean {
  if (!isRecord(meta)) return true;
  if (meta['openai/visibility'] === 'private') return false;
  const ui: unknown = meta['ui'];
  return [isRecord(ui) ? ui['visibility'] : undefined, meta['ui/visibility']].every((visibility: unknown) => {
    if (typeof visibility === 'string') return visibility === 'model';
    return !Array.isArray(visibility) || visibility.includes('model');
  });
}

function prepareOrLeave(
  tool: CatalogTool,
  ref: ToolRef,
  limits: Partial<SchemaLimits>,
): PreparedTool | LeftOutTool {
  try {
    return prepareTool(tool, limits);
  } catch (error) {
    if (error instanceof FittingsError) return { ref, error };
    throw error;
  }
}

function tooMuch(server: string): FittingsError {
  return new FittingsError('SCHEMA_REFUSED', 'The tools of the server exceed the limits of one list.', {
    server,
    hint: 'Ask its author for fewer or smaller tools, or raise `listLimits`.',
  });
}

function nameTooLong(server: string): FittingsError {
  return new FittingsError(
    'PROTOCOL_VIOLATION',
    `The name of the tool has more than ${LONGEST_NAME} characters.`,
    {
      server,
    },
  );
}

function forAppOnly(server: string): FittingsError {
  return new FittingsError('POLICY_DENIED', 'The server offers the tool to its app, not to models.', {
    server,
  });
}

function listedTwice(server: string): FittingsError {
  return new FittingsError('PROTOCOL_VIOLATION', 'The server lists another tool of the same name.', {
    server,
  });
}
