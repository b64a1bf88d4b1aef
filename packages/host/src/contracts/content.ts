import type { JSONRPCObject } from '@mcp-fittings/client-core';

/**
 * One block of the content of a tool result or a prompt. Text and data are the server's and untrusted.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
 */
export type ContentBlock =
  /** Text, as the server sent it. */
  | { readonly type: 'text'; readonly text: string }
  /** An image or a sound. */
  | {
      readonly type: 'image' | 'audio';
      /** The file, in base64. */
      readonly data: string;
      /** Media type of the file, such as `image/png`. */
      readonly mimeType: string;
    }
  /** A resource whose URI and contents are part of the result. */
  | { readonly type: 'resource'; readonly resource: ResourceContents }
  /** A resource that can be read with `host.readResource()`; it need not be in the server's list. */
  | {
      readonly type: 'resource_link';
      /** URI to pass to `host.readResource()`. */
      readonly uri: string;
      /** Name of the resource. */
      readonly name: string;
      /** Describes the content of the resource. */
      readonly description?: string | undefined;
      /** Media type, if the server knows it. */
      readonly mimeType?: string | undefined;
    }
  /** A block of a type that the host does not know, or one that lacks a member which its type requires. */
  | {
      readonly type: 'unknown';
      /** The `type` that the server sent, if it is a string. */
      readonly declaredType: string | undefined;
      /** The block as the server sent it. */
      readonly value: unknown;
    };

/**
 * Contents of a resource: either `text` or `blob`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource-contents
 */
export interface ResourceContents {
  /** URI of the resource. One request may return several, such as the files of a folder. */
  readonly uri: string;
  /** Media type, if the server knows it. */
  readonly mimeType?: string | undefined;
  /** Contents of a text resource. */
  readonly text?: string | undefined;
  /** Contents of a binary resource, in base64. */
  readonly blob?: string | undefined;
  /** Metadata of protocol extensions, as it came; `_meta.ui` of an MCP app, for example. */
  readonly _meta?: JSONRPCObject | undefined;
}

/**
 * Result of `tools/call`. If the server sent only `structuredContent`, or only the `toolResult` of revision 2024-10-07,
 * `content` has it as a text block too.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools
 */
export interface ToolResult {
  /** Content blocks, in the server's order. */
  readonly content: readonly ContentBlock[];
  /** Structured result; not validated against the tool's `outputSchema`. `@mcp-fittings/tools` validates it. */
  readonly structuredContent?: unknown;
  /** `true` if the tool itself failed; `content` then explains why, for the model. Default `false`. */
  readonly isError?: boolean | undefined;
  /** Metadata of protocol extensions, as it came. */
  readonly _meta?: JSONRPCObject | undefined;
}

/**
 * Result of `prompts/get`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#getting-a-prompt
 */
export interface PromptResult {
  /** Describes the purpose of the prompt. */
  readonly description?: string | undefined;
  /** Messages to put before the model, in order. */
  readonly messages: readonly {
    /** Speaker of the message; `user` if the server sent another role. */
    readonly role: 'user' | 'assistant';
    /** One block; a message with several blocks becomes several messages of the same role. */
    readonly content: ContentBlock;
  }[];
}

/**
 * Result of `resources/read`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#reading-resources
 */
export interface ResourceResult {
  /** The contents; several if the URI stands for several resources. */
  readonly contents: readonly ResourceContents[];
}

/**
 * Result of `completion/complete`: values for an argument that is being typed.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
 */
export interface Completion {
  /** Suggested values, best first; servers send at most 100. */
  readonly values: readonly string[];
  /** Number of all values, if the server knows. */
  readonly total?: number | undefined;
  /** True if there are more values than `values` has. */
  readonly hasMore?: boolean | undefined;
}

/**
 * Report of a server about its work on a request.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export interface Progress {
  /** Work done so far, in the server's unit; increases with each report. */
  readonly progress: number;
  /** Work in all, in the same unit, if the server knows. */
  readonly total?: number | undefined;
  /** Describes the current work of the server, for display. */
  readonly message?: string | undefined;
}
