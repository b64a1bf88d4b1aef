import type { JSONRPCObject } from '@mcp-fittings/client-core';
import type { ConnectionStatus } from './state.js';

/**
 * Hints of a server about its tool. They come from the server: do not base a security decision on them alone.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export interface ToolAnnotations {
  /** Title for display; {@link ToolDefinition.title} takes precedence. */
  readonly title?: string | undefined;
  /** The tool does not modify its environment. The protocol's default is `false`. */
  readonly readOnlyHint?: boolean | undefined;
  /** The tool may delete or overwrite data; meaningful unless `readOnlyHint` is true. The protocol's default is `true`. */
  readonly destructiveHint?: boolean | undefined;
  /** Calling the tool again with the same arguments has no further effect. The protocol's default is `false`. */
  readonly idempotentHint?: boolean | undefined;
  /** The tool reaches systems outside of the server, such as the web. The protocol's default is `true`. */
  readonly openWorldHint?: boolean | undefined;
}

/**
 * A tool as its server describes it. All text is the server's and untrusted.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#data-types
 */
export interface ToolDefinition {
  /** Name by which the tool is called; unique within its server only. */
  readonly name: string;
  /** Title for display. */
  readonly title?: string | undefined;
  /** Description for the model. */
  readonly description?: string | undefined;
  /** JSON Schema of the arguments; its `type` is `object`. Draft 2020-12 unless its `$schema` says otherwise. */
  readonly inputSchema: JSONRPCObject;
  /** JSON Schema of `structuredContent`. The host does not validate results against it. */
  readonly outputSchema?: JSONRPCObject | undefined;
  /** Hints about the tool's behavior. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Execution of the tool: the host runs one with `taskSupport: 'required'` as a task of revision 2025-11-25. */
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
  /** Metadata of protocol extensions, as it came. */
  readonly _meta?: JSONRPCObject | undefined;
}

/**
 * A prompt template as its server describes it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#data-types
 */
export interface PromptDefinition {
  /** Name to pass to `host.getPrompt()`. */
  readonly name: string;
  /** Title for display. */
  readonly title?: string | undefined;
  /** Describes the purpose of the prompt. */
  readonly description?: string | undefined;
  /** Arguments that the prompt takes, in the server's order. */
  readonly arguments?:
    | readonly {
        /** Name of the argument, as a key of the second argument of `host.getPrompt()`. */
        readonly name: string;
        /** Describes the argument. */
        readonly description?: string | undefined;
        /** True if the argument must be given. The protocol's default is `false`. */
        readonly required?: boolean | undefined;
      }[]
    | undefined;
}

/**
 * A resource as its server describes it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#data-types
 */
export interface ResourceDefinition {
  /** URI to pass to `host.readResource()`. Its scheme is the server's choice: do not fetch it yourself. */
  readonly uri: string;
  /** Name of the resource, such as a file name. */
  readonly name: string;
  /** Title for display. */
  readonly title?: string | undefined;
  /** Describes the content of the resource. */
  readonly description?: string | undefined;
  /** Media type, if the server knows it. */
  readonly mimeType?: string | undefined;
  /** Size in bytes before any encoding, if the server knows it. */
  readonly size?: number | undefined;
  /** Metadata of protocol extensions, as it came. */
  readonly _meta?: JSONRPCObject | undefined;
}

/**
 * A family of resources whose URIs follow a template.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource-templates
 */
export interface ResourceTemplateDefinition {
  /** URI template (RFC 6570) that, once expanded, is a URI for `host.readResource()`. */
  readonly uriTemplate: string;
  /** Name of the template. */
  readonly name: string;
  /** Title for display. */
  readonly title?: string | undefined;
  /** Describes the resources of this template. */
  readonly description?: string | undefined;
  /** Media type, if all resources of the template share one. */
  readonly mimeType?: string | undefined;
}

/** Maps each kind of list to the type of its items. */
export interface Listings {
  /** Items of `tools/list`. */
  readonly tools: ToolDefinition;
  /** Items of `prompts/list`. */
  readonly prompts: PromptDefinition;
  /** Items of `resources/list`. */
  readonly resources: ResourceDefinition;
  /** Items of `resources/templates/list`. */
  readonly resourceTemplates: ResourceTemplateDefinition;
}

/** A kind of list: `tools`, `prompts`, `resources` or `resourceTemplates`. */
export type ListKind = keyof Listings;

/** A tool in the catalog of the host. */
export interface CatalogTool extends ToolDefinition {
  /** Name of the tool's server in this host. */
  readonly server: string;
  /** Digest of the whole definition: it changes whenever the server changes anything about the tool. Bind approvals to it. */
  readonly digest: string;
}

/** A prompt in the catalog of the host. */
export interface CatalogPrompt extends PromptDefinition {
  /** Name of the prompt's server in this host. */
  readonly server: string;
}

/** A resource in the catalog of the host. */
export interface CatalogResource extends ResourceDefinition {
  /** Name of the resource's server in this host. */
  readonly server: string;
}

/** A resource template in the catalog of the host. */
export interface CatalogResourceTemplate extends ResourceTemplateDefinition {
  /** Name of the template's server in this host. */
  readonly server: string;
}

/** An item of the catalog that can be used now, or as soon as the host has connected its server for the call. */
export type Available<Item> = Item & {
  /** State of the item's server, for example `connected`, `pending`, or `disconnected` (lazy or idle). */
  readonly serverState: ConnectionStatus;
};

/** Differences between the tools of a server and those of the previous reading. A host that approves tools asks again for `changed`. */
export interface ToolChanges {
  /** Names of tools that are new. */
  readonly added: readonly string[];
  /** Names of tools that are gone. */
  readonly removed: readonly string[];
  /** Tools whose definition differs, each with the names of the members that differ. */
  readonly changed: readonly {
    /** Name of the tool. */
    readonly tool: string;
    /** Members of its definition that differ, such as `description` or `inputSchema`. */
    readonly members: readonly string[];
  }[];
}

/** One list of a server, read to its end or to a limit. */
export interface ListResult<Kind extends ListKind> {
  /** The valid entries. */
  readonly items: readonly Listings[Kind][];
  /** Reasons why the other entries were left out: malformed, duplicate, or over a limit. */
  readonly skipped: readonly string[];
  /** True if every page had `cacheScope: 'public'`, so that users may share the list in a cache. Default `false`. */
  readonly isPublic?: boolean | undefined;
  /** Milliseconds for which the server calls the list fresh; the host reads it again after that. Default: for ever. */
  readonly ttlMs?: number | undefined;
  /** Bytes of `limits.listBytes` that `items` took; the host returns them. Default 0. */
  readonly bytes?: number | undefined;
}
