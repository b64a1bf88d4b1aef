import { FittingsError } from '@mcp-fittings/client-core';
import type { CatalogueTool, ToolRef } from '@mcp-fittings/host';
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

/**
 * Prepares the tools of a catalogue, again and again: one that has not changed keeps its converted schemas, one that is
 * gone is forgotten.
 */
export function createPreparer(
  limits: Partial<SchemaLimits>,
): (catalogue: readonly CatalogueTool[]) => PreparedTools {
  let known = new Map<string, PreparedTool | LeftOutTool>();

  return (catalogue) => {
    const next: typeof known = new Map();
    const names = new Set<string>();
    const good: PreparedTool[] = [];
    const left: LeftOutTool[] = [];
    for (const tool of catalogue) {
      const ref = { server: tool.server, tool: tool.name };
      const name = JSON.stringify([tool.server, tool.name]);
      if (names.has(name)) {
        left.push({ ref, error: listedTwice(tool.server) });
        continue;
      }
      names.add(name);
      const key = JSON.stringify([tool.server, tool.name, tool.digest]);
      const prepared = known.get(key) ?? prepareOrLeave(tool, ref, limits);
      next.set(key, prepared);
      if ('error' in prepared) left.push(prepared);
      else good.push(prepared);
    }
    known = next;
    return { good, left };
  };
}

function prepareOrLeave(
  tool: CatalogueTool,
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

function listedTwice(server: string): FittingsError {
  return new FittingsError('PROTOCOL_VIOLATION', 'The server lists another tool of the same name.', {
    server,
  });
}
