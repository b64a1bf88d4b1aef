import type { CatalogTool, Host } from '@mcp-fittings/host';
import type { Caller, ItemKind, Mount } from '../contracts/caller.js';
import type { GatewayOptions } from '../contracts/gateway-options.js';
import { snapshotOf } from './ready-servers.js';

/** A kind of items of a server. `resources` stands for templates and subscriptions too. */
export type ExposedKind = NonNullable<NonNullable<GatewayOptions['expose']>['kinds']>[number];

/** A caller at an address of the gateway. */
export interface Scope {
  readonly caller: Caller;
  readonly mount: Mount;
}

/** Decides what a caller sees and may use. It is asked for every list and every call. */
export type Exposure = ReturnType<typeof createExposure>;

/** Options of {@link createExposure}. */
export interface ExposureOptions extends Pick<GatewayOptions, 'expose' | 'policy'> {
  readonly host: Host;
}

/** Returns whether the caller may use a server, or an item of it. A function that throws or does not say `true` allows nothing. */
export function permits({ allows }: Caller, ...asked: Parameters<NonNullable<Caller['allows']>>): boolean {
  if (allows === undefined) return true;
  try {
    const answer: unknown = allows(...asked);
    return answer === true;
  } catch {
    return false;
  }
}

/** Creates the decision from what the program exposes, what the caller may use, and the policy. */
export function createExposure({ host, expose = {}, policy }: ExposureOptions) {
  const { servers, kinds } = expose;
  const isServed = (server: string): boolean => servers === undefined || servers.includes(server);
  const mayUse = ({ caller, mount }: Scope, server: string): boolean =>
    (mount.server === undefined || mount.server === server) && isServed(server) && permits(caller, server);
  /** Returns whether the caller may use an item of a server, as far as its access goes; `policy` is not asked. */
  const allows = (scope: Scope, kind: ItemKind, server: string, name: string): boolean =>
    mayUse(scope, server) && permits(scope.caller, server, name, kind);

  return {
    /** Returns the names of the servers that the caller may use at this address. */
    servers: (scope: Scope): readonly string[] =>
      host
        .servers()
        .map(({ name }) => name)
        .filter((name) => mayUse(scope, name)),
    /** Returns those of the items whose servers are served at all. */
    exposed: <Item extends { readonly server: string }>(items: readonly Item[]): readonly Item[] =>
      servers === undefined ? items : items.filter(({ server }) => isServed(server)),
    /** Returns whether items of this kind are served. */
    hasKind: (kind: ExposedKind): boolean => kinds === undefined || kinds.includes(kind),
    /** Returns whether the caller may use this server here. */
    hasServer: (scope: Scope, server: string): boolean =>
      mayUse(scope, server) && snapshotOf(host, server, undefined) !== undefined,
    /** Returns a function that tells whether a listed tool is shown to the caller, for one look at the list. */
    shownTools(scope: Scope): (tool: CatalogTool) => boolean {
      const { principal } = scope.caller;
      const identities = new Map<string, string>();
      const isDenied = (tool: CatalogTool): boolean => {
        if (policy === undefined) return false;
        const { server } = tool;
        const identity = identities.get(server) ?? snapshotOf(host, server, undefined)?.identity ?? '';
        identities.set(server, identity);
        try {
          const verdict = policy.forTool({
            ...tool,
            identity,
            ...(principal !== undefined && { principal }),
          });
          return verdict.decision === 'deny';
        } catch {
          return true;
        }
      };
      return (tool) => allows(scope, 'tool', tool.server, tool.name) && !isDenied(tool);
    },
    allows,
  };
}
