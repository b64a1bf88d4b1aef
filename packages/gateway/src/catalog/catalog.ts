import type {
  Available,
  CatalogPrompt,
  CatalogResource,
  CatalogResourceTemplate,
  CatalogTool,
  Host,
  PromptRef,
  ResourceRef,
  ToolRef,
} from '@mcp-fittings/host';
import { hashText } from '@mcp-fittings/toolbox/text';
import { naming as strategies, type NamingStrategy } from '@mcp-fittings/tools';
import type { ExposedKind, Exposure, Scope } from './exposure.js';
import { ItemNames } from './item-names.js';
import { snapshotOf } from './ready-servers.js';
import { locateUri, uniqueUris } from './resource-uris.js';

/** An item of a list as a client sees it. */
export type ListedItem = Readonly<Record<string, unknown>>;

/** Options of {@link createCatalog}. */
export interface CatalogOptions {
  readonly host: Host;
  readonly exposure: Exposure;
  /** Names tools and prompts where there are several servers. */
  readonly naming?: NamingStrategy | undefined;
}

/** Lists what a caller sees at an address, and resolves the names there. Does not wait for any server. */
export type Catalog = ReturnType<typeof createCatalog>;

/** Creates the view of a host that the clients of a gateway have. */
export function createCatalog({ host, exposure, naming = strategies.serverPrefixed }: CatalogOptions) {
  const visible = <Item extends { readonly server: string }>(
    kind: ExposedKind,
    scope: Scope,
    items: readonly Item[],
  ): readonly Item[] => {
    if (!exposure.hasKind(kind)) return [];
    const servers = new Set(exposure.servers(scope));
    return items.filter(({ server }) => servers.has(server));
  };
  const principalOf = ({ caller }: Scope): { readonly principal: string | undefined } => ({
    principal: caller.principal,
  });
  const toolsOf = (scope: Scope): readonly Available<CatalogTool>[] =>
    visible('tools', scope, host.tools(principalOf(scope))).filter(exposure.shownTools(scope));
  const promptsOf = (scope: Scope): readonly Available<CatalogPrompt>[] =>
    visible('prompts', scope, host.prompts(principalOf(scope))).filter(({ server, name }) =>
      exposure.allows(scope, 'prompt', server, name),
    );
  const resourcesOf = (scope: Scope): readonly Available<CatalogResource>[] =>
    visible('resources', scope, host.resources(principalOf(scope))).filter(({ server, uri }) =>
      exposure.allows(scope, 'resource', server, uri),
    );
  const templatesOf = (scope: Scope): readonly Available<CatalogResourceTemplate>[] =>
    visible('resources', scope, host.resourceTemplates(principalOf(scope))).filter(
      ({ server, uriTemplate }) => exposure.allows(scope, 'resource', server, uriTemplate),
    );
  const digestEach = createDigests();
  const toolNames = new ItemNames(naming, (principal) => exposure.exposed(host.tools({ principal })));
  const promptNames = new ItemNames(naming, (principal) => exposure.exposed(host.prompts({ principal })));
  const listening = [
    host.on('catalog', ({ principal }) => {
      toolNames.outdate(principal);
      promptNames.outdate(principal);
    }),
    host.on('state', ({ principal }) => {
      toolNames.outdate(principal);
      promptNames.outdate(principal);
    }),
  ];
  /** Returns the tool of a server that lists nothing now: a call waits for the server, tries it again, or asks for a sign-in. */
  const refOfAbsent = (scope: Scope, name: string, former: ToolRef | undefined): ToolRef | undefined => {
    if (!exposure.hasKind('tools')) return undefined;
    const candidates = exposure.servers(scope).flatMap((server) => {
      if (former?.server === server) return [former];
      const tool = toolNamed(name, server, naming);
      return tool === undefined ? [] : [{ server, tool }];
    });
    return candidates.find((ref) => {
      if (!exposure.allows(scope, 'tool', ref.server, ref.tool)) return false;
      const status = snapshotOf(host, ref.server, scope.caller.principal)?.state.status;
      // A sign-in is asked for only for a tool that was listed.
      return status === 'needs-auth' ? ref === former : status !== undefined && status !== 'connected';
    });
  };
  const isWhole = ({ mount }: Scope): boolean => mount.server === undefined;

  return {
    tools(scope: Scope): readonly ListedItem[] {
      const tools = toolsOf(scope);
      const names = isWhole(scope) ? toolNames.of(scope.caller.principal) : undefined;
      return tools.map((tool) => {
        // A client calls every tool in the ordinary way: the host runs its task.
        const { server, serverState: _state, digest: _digest, execution: _execution, ...definition } = tool;
        return { ...definition, name: names?.names.nameOf({ server, tool: tool.name }) ?? tool.name };
      });
    },
    prompts(scope: Scope): readonly ListedItem[] {
      const prompts = promptsOf(scope);
      const names = isWhole(scope) ? promptNames.of(scope.caller.principal) : undefined;
      return prompts.map((prompt) => {
        const { server, serverState: _state, ...definition } = prompt;
        return { ...definition, name: names?.names.nameOf({ server, tool: prompt.name }) ?? prompt.name };
      });
    },
    resources(scope: Scope): readonly ListedItem[] {
      const resources = resourcesOf(scope);
      const uris = isWhole(scope) ? uniqueUris(resources) : [];
      return resources.map(({ server: _server, serverState: _state, ...resource }, index) => ({
        ...resource,
        uri: uris[index] ?? resource.uri,
      }));
    },
    resourceTemplates(scope: Scope): readonly ListedItem[] {
      const templates = templatesOf(scope);
      const uris = isWhole(scope) ? uniqueUris(templates.map(located)) : [];
      return templates.map(({ server: _server, serverState: _state, ...template }, index) => ({
        ...template,
        uriTemplate: uris[index] ?? template.uriTemplate,
      }));
    },
    /** Returns a digest of what the caller sees of each server. */
    digests(scope: Scope, kind: ExposedKind): ReadonlyMap<string, string> {
      if (kind === 'tools') return digestEach(toolsOf(scope));
      if (kind === 'prompts') return digestEach(promptsOf(scope));
      return digestEach([...resourcesOf(scope), ...templatesOf(scope)]);
    },
    /** Returns the tool with this name; at the address of its server, and of a server that is not connected, also one that is not listed. */
    toolRef(scope: Scope, name: string): ToolRef | undefined {
      const { server } = scope.mount;
      if (server === undefined) {
        if (!exposure.hasKind('tools')) return undefined;
        const { principal } = scope.caller;
        const { names, former } = toolNames.of(principal);
        const ref = names.refOf(name);
        const listed = ref && host.tool(ref, { principal });
        if (listed === undefined) return refOfAbsent(scope, name, ref ?? former.get(name));
        return exposure.shownTools(scope)(listed) ? ref : undefined;
      }
      if (!exposure.hasKind('tools') || !exposure.allows(scope, 'tool', server, name)) return undefined;
      const ref = { server, tool: name };
      // A server that lists the tool is there.
      const isKnown = host.tool(ref, principalOf(scope)) !== undefined || exposure.hasServer(scope, server);
      return isKnown ? ref : undefined;
    },
    /** Returns the definition of a tool. */
    tool: (scope: Scope, ref: ToolRef) => host.tool(ref, principalOf(scope)),
    promptRef(scope: Scope, name: string): PromptRef | undefined {
      const { server } = scope.mount;
      if (server === undefined) {
        const ref = promptNames.of(scope.caller.principal).names.refOf(name);
        if (ref === undefined || !exposure.hasKind('prompts')) return undefined;
        const isAllowed = exposure.allows(scope, 'prompt', ref.server, ref.tool);
        return isAllowed ? { server: ref.server, prompt: ref.tool } : undefined;
      }
      const isServed = exposure.hasKind('prompts') && exposure.hasServer(scope, server);
      return isServed && exposure.allows(scope, 'prompt', server, name)
        ? { server, prompt: name }
        : undefined;
    },
    /** Returns the resource that a URI, or a URI template, stands for. Throws as `locateUri()` does. */
    resourceRef(scope: Scope, uri: string): ResourceRef | undefined {
      if (!exposure.hasKind('resources')) return undefined;
      const { server } = scope.mount;
      const ref =
        server === undefined
          ? locateUri(uri, {
              servers: exposure.servers(scope),
              resources: resourcesOf(scope),
              templates: templatesOf(scope).map(located),
            })
          : exposure.hasServer(scope, server) && { server, uri };
      if (!ref) return undefined;
      return exposure.allows(scope, 'resource', ref.server, ref.uri) ? ref : undefined;
    },
    [Symbol.dispose]() {
      for (const each of listening) each[Symbol.dispose]();
    },
  };
}

/** Returns which tool of a server has this name, if the naming puts the name of the server before or after that of the tool. */
function toolNamed(name: string, server: string, naming: NamingStrategy): string | undefined {
  const tool = '\0';
  for (const pattern of [naming({ server, tool })].flat()) {
    const [before = '', after] = pattern.split(tool);
    if (after === undefined || !pattern.includes(server)) continue;
    const end = name.length - after.length;
    if (name.startsWith(before) && name.endsWith(after) && end > before.length)
      return name.slice(before.length, end);
  }
  return undefined;
}

/** Returns a function that digests the items of each server. An item is digested once. */
function createDigests(): (items: readonly { readonly server: string }[]) => ReadonlyMap<string, string> {
  const known = new WeakMap<object, string>();
  const digestOf = (item: object): string => {
    const digest = known.get(item) ?? hashText(JSON.stringify({ ...item, serverState: undefined }));
    known.set(item, digest);
    return digest;
  };
  return (items) => {
    const texts = new Map<string, string[]>();
    for (const item of items) {
      const own = texts.get(item.server) ?? [];
      texts.set(item.server, own);
      own.push(digestOf(item));
    }
    return new Map(Array.from(texts, ([server, digests]) => [server, hashText(digests.join())]));
  };
}

const located = ({ server, uriTemplate }: CatalogResourceTemplate): ResourceRef => ({
  server,
  uri: uriTemplate,
});
