import type { ResourceRef } from '@mcp-fittings/host';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Scope } from '../catalog/exposure.js';
import type { Watching } from './change-watch.js';
import type { SurfaceDeps } from './surface-deps.js';

/**
 * Creates the events of a caller at an address, for `subscriptions/listen` of revision 2026-07-28. While a client listens, the given
 * resources are subscribed at their servers.
 */
export function createScopeEvents(scope: Scope, uris: readonly string[], deps: SurfaceDeps): ServerEventBus {
  const { catalog, changes, subscriptions, servers, exposure, limits, door } = deps;
  const { principal } = scope.caller;
  const listeners = new Set<(event: ServerEvent) => void>();
  let watching: Watching | undefined;
  /** Resources by the URI that the client uses, while they are subscribed. */
  let subscribed = new Map<string, ResourceRef>();

  const publish = (event: ServerEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const begin = (): void => {
    watching = changes.watch(scope, {
      changed: (kind) => publish({ kind: `${kind}_list_changed` }),
      updated({ server, uri }) {
        for (const [used, ref] of subscribed) {
          if (ref.server === server && ref.uri === uri) publish({ kind: 'resource_updated', uri: used });
        }
      },
      logged: () => undefined,
    });
    if (uris.length > 0) void subscribe(subscribed);
  };
  const subscribe = async (own: Map<string, ResourceRef>): Promise<void> => {
    await servers.ready(exposure.servers(scope), principal, limits.listMs);
    for (const uri of uris.slice(0, limits.subscriptions)) {
      const ref = refOf(uri);
      if (ref === undefined || own !== subscribed) continue;
      own.set(uri, ref);
      const request = { server: ref.server, method: 'resources/subscribe', target: ref.uri };
      door(scope.caller, request, () => subscriptions.add(ref, principal)).then(
        // All clients have left meanwhile.
        () => own.get(uri) === undefined && void subscriptions.remove(ref, principal),
        () => own.delete(uri),
      );
    }
  };
  const refOf = (uri: string): ResourceRef | undefined => {
    try {
      return catalog.resourceRef(scope, uri);
    } catch {
      // Several servers have it: there is nothing to subscribe to.
      return undefined;
    }
  };
  const end = (): void => {
    watching?.[Symbol.dispose]();
    watching = undefined;
    for (const ref of subscribed.values()) void subscriptions.remove(ref, principal);
    subscribed = new Map();
  };

  return {
    publish,
    subscribe(listener) {
      listeners.add(listener);
      if (watching === undefined) begin();
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) end();
      };
    },
  };
}
