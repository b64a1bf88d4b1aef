import type { CallOptions, CatalogTool, ToolRef, ToolResult } from '@mcp-fittings/host';

/** The part of a host that {@link createTools} uses. `createHost` of `@mcp-fittings/host` returns one. */
export interface ToolHost {
  /** Returns the tools of all connected servers, or those of one person. */
  tools(options?: { readonly principal?: string | undefined }): readonly CatalogTool[];
  /** Returns one of these tools; undefined if it does not exist. */
  tool(ref: ToolRef, options?: { readonly principal?: string | undefined }): CatalogTool | undefined;
  /** Returns the identity of each server, and its state: pins and `tool_search` read the instructions of connected servers. */
  servers(options?: { readonly principal?: string | undefined }): readonly {
    readonly name: string;
    readonly identity: string;
    /** State of the connection. */
    readonly state?:
      | {
          readonly status: string;
          readonly connection?: { readonly instructions?: string | undefined } | undefined;
        }
      | undefined;
  }[];
  /** Calls a tool. Rejects with a `FittingsError`. */
  callTool(
    ref: ToolRef,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
}
