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
import {
  createToolNames,
  naming as strategies,
  type NamingStrategy,
  type ToolNames,
} from '@mcp-fittings/tools';
import type { ExposedKind, Exposure, Scope } from './exposure.js';
import { locateUri, uniqueUris } from './resource-uris.js';

/** An item of a list as a client sees it. */
export type ListedItem = Readonly<Record<string, unknown>>;

/** Options of {@link createCatalog}. */
export interface CatalogOptions {
  readonly host: Host;
  readonly exposure: Exposure;
  /** How tools and prompts are named where there are several servers. */
  readonly naming?: NamingStrategy | undefined;
}

/** What a caller sees at an address, and what the names there stand for. Does not wait for any server. */
export interface Catalog {
  tools(scope: Scope): readonly ListedItem[];
  prompts(scope: Scope): readonly ListedItem[];
  resources(scope: Scope): readonly ListedItem[];
  resourceTemplates(scope: Scope): readonly ListedItem[];
  /** Returns the tool with this name; one that is not listed too, at the address of its server. */
  toolRef(scope: Scope, name: string): ToolRef | undefined;
  /** Returns the definition of a tool. */
  tool(scope: Scope, ref: ToolRef): Available<CatalogTool> | undefined;
  promptRef(scope: Scope, name: string): PromptRef | undefined;
  /** Returns the resource that a URI, or a URI template, stands for. Throws as `locateUri()` does. */
  resourceRef(scope: Scope, uri: string): ResourceRef | undefined;
}

/** Sets of tools whose names are remembered: one for each caller that uses the gateway at the same time. */
const NAMES_KEPT = 256;

/** Creates the view of a host that the clients of a gateway have. */
export function createCatalog({
  host,
  exposure,
  naming = strategies.serverPrefixed,
}: CatalogOptions): Catalog {
  const visible = <Item extends { readonly server: string }>(
    kind: ExposedKind,
    scope: Scope,
    items: readonly Item[],
  ): readonly Item[] => {
    if (!exposure.hasKind(kind)) return [];
    const servers = new Set(exposure.servers(scope));
    return items.filter(({ server }) => servers.has(server));
  };
  const person = ({ caller }: Scope): { readonly principal: string | undefined } => ({
    principal: caller.principal,
  });
  const toolsOf = (scope: Scope): readonly Available<CatalogTool>[] =>
    visible('tools', scope, host.tools(person(scope))).filter((tool) => exposure.showsTool(scope, tool));
  const promptsOf = (scope: Scope): readonly Available<CatalogPrompt>[] =>
    visible('prompts', scope, host.prompts(person(scope)));
  const resourcesOf = (scope: Scope): readonly Available<CatalogResource>[] =>
    visible('resources', scope, host.resources(person(scope)));
  const templatesOf = (scope: Scope): readonly Available<CatalogResourceTemplate>[] =>
    visible('resources', scope, host.resourceTemplates(person(scope)));
  const nameTools = rememberNames(naming);
  const namePrompts = rememberNames(naming);
  const isWhole = ({ mount }: Scope): boolean => mount.server === undefined;

  return {
    tools(scope) {
      const tools = toolsOf(scope);
      const names = isWhole(scope) ? nameTools(scope, tools) : undefined;
      return tools.map((tool) => {
        const { server, serverState: _state, digest: _digest, ...definition } = tool;
        return { ...definition, name: names?.nameOf({ server, tool: tool.name }) ?? tool.name };
      });
    },
    prompts(scope) {
      const prompts = promptsOf(scope);
      const names = isWhole(scope) ? namePrompts(scope, prompts) : undefined;
      return prompts.map((prompt) => {
        const { server, serverState: _state, ...definition } = prompt;
        return { ...definition, name: names?.nameOf({ server, tool: prompt.name }) ?? prompt.name };
      });
    },
    resources(scope) {
      const resources = resourcesOf(scope);
      const uris = isWhole(scope) ? uniqueUris(resources) : [];
      return resources.map(({ server: _server, serverState: _state, ...resource }, index) => ({
        ...resource,
        uri: uris[index] ?? resource.uri,
      }));
    },
    resourceTemplates(scope) {
      const templates = templatesOf(scope);
      const uris = isWhole(scope) ? uniqueUris(templates.map(located)) : [];
      return templates.map(({ server: _server, serverState: _state, ...template }, index) => ({
        ...template,
        uriTemplate: uris[index] ?? template.uriTemplate,
      }));
    },
    toolRef(scope, name) {
      const { server } = scope.mount;
      if (server === undefined) return nameTools(scope, toolsOf(scope)).refOf(name);
      const isServed = exposure.hasKind('tools') && exposure.hasServer(scope, server);
      return isServed && exposure.allowsTool(scope, server, name) ? { server, tool: name } : undefined;
    },
    tool: (scope, ref) => host.tool(ref, person(scope)),
    promptRef(scope, name) {
      const { server } = scope.mount;
      if (server === undefined) {
        const ref = namePrompts(scope, promptsOf(scope)).refOf(name);
        return ref && { server: ref.server, prompt: ref.tool };
      }
      const isServed = exposure.hasKind('prompts') && exposure.hasServer(scope, server);
      return isServed ? { server, prompt: name } : undefined;
    },
    resourceRef(scope, uri) {
      if (!exposure.hasKind('resources')) return undefined;
      const { server } = scope.mount;
      if (server !== undefined) return exposure.hasServer(scope, server) ? { server, uri } : undefined;
      return locateUri(uri, {
        servers: exposure.servers(scope),
        resources: resourcesOf(scope),
        templates: templatesOf(scope).map(located),
      });
    },
  };
}

const located = ({ server, uriTemplate }: CatalogResourceTemplate): ResourceRef => ({
  server,
  uri: uriTemplate,
});

interface Named {
  readonly server: string;
  readonly name: string;
}

/** Names the items of a caller, and remembers the names while the items are the same. */
function rememberNames(naming: NamingStrategy): (scope: Scope, items: readonly Named[]) => ToolNames {
  const kept = new Map<string, { readonly items: readonly Named[]; readonly names: ToolNames }>();
  return ({ caller }, items) => {
    const known = kept.get(caller.id);
    kept.delete(caller.id);
    const isSame =
      known !== undefined &&
      known.items.length === items.length &&
      known.items.every((item, index) => item === items[index]);
    const refs = items.map(({ server, name }) => ({ server, tool: name }));
    const current = isSame ? known : { items, names: createToolNames(refs, { naming }) };
    kept.set(caller.id, current);
    const [oldest] = kept.keys();
    if (kept.size > NAMES_KEPT && oldest !== undefined) kept.delete(oldest);
    return current.names;
  };
}
