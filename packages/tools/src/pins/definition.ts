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

const MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** Returns the part of a tool that is pinned. */
export function definitionOf(tool: CatalogTool): PinnedDefinition {
  const meta = isRecord(tool._meta) ? pick(tool._meta, META) : {};
  return { ...pick(tool, MEMBERS), ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

function pick(from: object, keys: readonly string[]): PinnedDefinition {
  return Object.fromEntries(
    Object.entries(from).filter(([key, value]) => keys.includes(key) && value !== undefined),
  );
}

/** Returns the same for two tools that differ in nothing but their names. */
export function contentOf(definition: PinnedDefinition): string {
  return canonicalJson({ ...definition, name: undefined });
}
