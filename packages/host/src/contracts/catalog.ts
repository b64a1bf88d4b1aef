import type { FittingsError } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { ConnectionStatus } from './state.js';

/** Hints that a server gives about its tool; never trust them for a decision that protects somebody. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** A tool as its server describes it. All text is the server's. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** JSON Schema, 2020-12 unless it says otherwise. */
  readonly inputSchema: JSONRPCObject;
  readonly outputSchema?: JSONRPCObject | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly _meta?: JSONRPCObject | undefined;
}

export interface PromptDefinition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?: readonly PromptArgument[] | undefined;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

export interface ResourceDefinition {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
}

export interface ResourceTemplateDefinition {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** What a server can list, by kind. */
export interface Listings {
  readonly tools: ToolDefinition;
  readonly prompts: PromptDefinition;
  readonly resources: ResourceDefinition;
  readonly resourceTemplates: ResourceTemplateDefinition;
}

export type ListKind = keyof Listings;

/** An item of the catalog of all servers. */
export type OfServer<Item> = Item & {
  /** Name of the server in this host. */
  readonly server: string;
};

/** A tool in the catalog. `digest` changes when anything that the server says about the tool changes. */
export type CatalogTool = OfServer<ToolDefinition> & { readonly digest: string };
export type CatalogPrompt = OfServer<PromptDefinition>;
export type CatalogResource = OfServer<ResourceDefinition>;
export type CatalogResourceTemplate = OfServer<ResourceTemplateDefinition>;

/** An item that can be used now, or at its next use: its server is connected, or connects for a call. */
export type Available<Item> = Item & {
  /** Where the connection to its server stands, for example `connected`, `pending` or `disconnected` (lazy or idle). */
  readonly serverState: ConnectionStatus;
};

/** How one list of a server was read last. */
export interface ListStatus {
  /**
   * Why the list could not be read, or not read again; it is tried again with growing delays while the server is
   * connected. The catalog has what was read before, if anything. Undefined after a reading that succeeded.
   */
  readonly error: FittingsError | undefined;
  /** Which entries were left out and which members were ignored, with the reasons; the first 20. */
  readonly skipped: readonly string[];
}

/** How the tools of a server differ from what they were. A host that approves tools asks again for what changed. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Which members of the definition are not what they were. */
  readonly changed: readonly { readonly tool: string; readonly members: readonly string[] }[];
}
