import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';

/** One piece of what a tool or a prompt gives. Text and data are the server's. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceContents }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
    }
  /** Something that this package does not know, or a block of a known type that lacks what the type demands, as it came. */
  | { readonly type: 'unknown'; readonly declaredType: string | undefined; readonly value: unknown };

/** `text` or `blob` (base64), never both. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string | undefined;
  readonly blob?: string | undefined;
}

/**
 * What a tool call gave. `isError: true` is the tool's own failure, for the model to read. A server that sent only
 * `structuredContent`, or only the `toolResult` of revision 2024-10-07, has it in `content` as text too.
 */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: JSONRPCObject | undefined;
}

export interface PromptResult {
  readonly description?: string | undefined;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: ContentBlock }[];
}

export interface ResourceResult {
  readonly contents: readonly ResourceContents[];
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** What a server reports while it works on a request. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
