import { isRecord } from '@mcp-fittings/toolbox/messages';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import type { CatalogTool } from '@mcp-fittings/host';

/**
 * The pinned part of a tool: every member by which a model, a person or this package decides. All of it is the server's text. Instructions
 * of a server are pinned as a definition with the single member `instructions`.
 */
export type PinnedDefinition = Readonly<Record<string, unknown>>;

/** Members of `_meta` that decide who may call a tool, or which page shows it (MCP Apps). Others may change at any time. */
const META = [
  'ui',
  'ui/visibility',
  'ui/resourceUri',
  'openai/visibility',
  'openai/outputTemplate',
  'openai/widgetAccessible',
] as const;

/** Returns the part of a tool that is pinned. */
export function definitionOf(tool: CatalogTool): PinnedDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = tool;
  const meta = metaOf(_meta);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

function metaOf(meta: unknown): PinnedDefinition | undefined {
  if (!isRecord(meta)) return undefined;
  const kept = META.filter((key) => Object.hasOwn(meta, key)).map((key) => [key, meta[key]] as const);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Returns the same for two tools that differ in nothing but their names. */
export function contentOf(definition: PinnedDefinition): string {
  return canonicalJson({ ...definition, name: undefined });
}
