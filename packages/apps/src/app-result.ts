import type { ContentBlock, ResourceContents, ToolResult } from '@mcp-fittings/host';

/**
 * Result of a tool, for an app. The type is assignable to `CallToolResult` of the official SDKs: it is an alias, because only an
 * alias fits an index signature, and its arrays are not read-only.
 */
export type AppToolResult = {
  /** Content blocks. Blocks of a type that the host does not know are left out. */
  content: (
    | { type: 'text'; text: string }
    | { type: 'image' | 'audio'; data: string; mimeType: string }
    | { type: 'resource_link'; uri: string; name: string; description?: string; mimeType?: string }
    | { type: 'resource'; resource: AppResourceContents }
  )[];
  /** Structured result, as the server sent it. */
  structuredContent?: unknown;
  /** `true` if the tool failed. */
  isError?: boolean;
  /** Metadata for the app, as the server sent it. */
  _meta?: { [member: string]: unknown };
};

/** Contents of a resource as `@modelcontextprotocol/ext-apps` accepts them: text, or base64. */
export type AppResourceContents =
  | { uri: string; text: string; mimeType?: string; _meta?: { [member: string]: unknown } }
  | { uri: string; blob: string; mimeType?: string; _meta?: { [member: string]: unknown } };

/**
 * Converts the result of a tool for `sendToolResult()` of `AppBridge`. It keeps all members that the server sent, and leaves out
 * blocks of a type that the host does not know.
 */
export function toAppResult(result: ToolResult): AppToolResult {
  return {
    content: result.content.flatMap(toBlock),
    ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
    ...(result.isError !== undefined && { isError: result.isError }),
    ...(result._meta !== undefined && { _meta: { ...result._meta } }),
  };
}

function toBlock(block: ContentBlock): AppToolResult['content'] {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'audio':
      return [{ ...block }];
    case 'resource_link': {
      const { description, mimeType, ...rest } = block;
      return [
        {
          ...rest,
          ...(description !== undefined && { description }),
          ...(mimeType !== undefined && { mimeType }),
        },
      ];
    }
    case 'resource':
      return [{ ...block, resource: toContents(block.resource) }];
    case 'unknown':
    default:
      return [];
  }
}

/** Converts the contents of a resource. Contents with neither text nor data become empty text. */
export function toContents({ text, blob, mimeType, _meta, ...rest }: ResourceContents): AppResourceContents {
  const members = {
    ...rest,
    ...(mimeType !== undefined && { mimeType }),
    ...(_meta !== undefined && { _meta: { ..._meta } }),
  };
  return blob === undefined || text !== undefined ? { ...members, text: text ?? '' } : { ...members, blob };
}
