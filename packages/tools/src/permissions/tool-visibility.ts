import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { CatalogTool } from '@mcp-fittings/host';

/**
 * Reads `_meta.ui.visibility` of a tool. Earlier drafts spell it `ui/visibility`, and the Apps SDK has `openai/visibility`. If a
 * tool has more than one of them, each must allow the caller.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Resource Discovery, Visibility)
 */
export function toolVisibility({ _meta: meta }: Pick<CatalogTool, '_meta'>): {
  /** True if the tool may be offered to models. Default true. */
  readonly model: boolean;
  /** True if apps of the same server may call the tool. Default true, but false if the server sent something malformed. */
  readonly app: boolean;
} {
  if (!isRecord(meta)) return { model: true, app: true };
  const ui: unknown = meta['ui'];
  const declared = [isRecord(ui) ? ui['visibility'] : undefined, meta['ui/visibility']].filter(
    (visibility) => visibility !== undefined,
  );
  return {
    model:
      meta['openai/visibility'] !== 'private' &&
      declared.every((each) => !isList(each) || has(each, 'model')),
    app: declared.every((each) => isList(each) && has(each, 'app')),
  };
}

const isList = (visibility: unknown): visibility is string | readonly unknown[] =>
  typeof visibility === 'string' || Array.isArray(visibility);

const has = (visibility: string | readonly unknown[], caller: string): boolean =>
  typeof visibility === 'string' ? visibility === caller : visibility.includes(caller);
