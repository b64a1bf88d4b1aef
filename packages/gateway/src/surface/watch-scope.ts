import type { ResourceRef } from '@mcp-fittings/host';
import type { Scope } from '../catalog/exposure.js';
import type { ListenEvent } from './listen.js';
import type { Subscription } from './subscriptions.js';
import type { SurfaceDeps } from './surface-deps.js';

/**
 * Tells of the changes that a caller sees at an address, for `subscriptions/listen` of revision 2026-07-28, until the result is disposed of.
 * Meanwhile, the given resources are subscribed at their servers.
 */
export function watchScope(
  scope: Scope,
  uris: readonly string[],
  onEvent: (event: ListenEvent) => void,
  deps: SurfaceDeps,
): Disposable {
  const { catalog, changes, subscriptions, servers, exposure, limits, door } = deps;
  const { principal } = scope.caller;
  /** Resources by the URI that the client uses. */
  const subscribed = new Map<string, Subscription>();
  let hasEnded = false;

  const subscribe = async (): Promise<void> => {
    await servers.ready(exposure.servers(scope), principal, limits.listMs);
    for (const uri of uris) {
      const ref = refOf(uri);
      if (ref === undefined || hasEnded) continue;
      const subscription = subscriptions.of(ref, principal);
      subscribed.set(uri, subscription);
      const request = { server: ref.server, method: 'resources/subscribe', target: ref.uri };
      door(scope.caller, request, () => subscription.begin()).catch(() => subscribed.delete(uri));
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

  const watching = changes.watch(scope, {
    changed: (kind) => onEvent({ kind }),
    updated({ server, uri }) {
      for (const [used, { ref }] of subscribed) {
        if (ref.server === server && ref.uri === uri) onEvent({ uri: used });
      }
    },
    logged: () => undefined,
  });
  if (uris.length > 0) void subscribe();
  return {
    [Symbol.dispose]() {
      hasEnded = true;
      watching[Symbol.dispose]();
      for (const subscription of subscribed.values()) void subscription.end();
      subscribed.clear();
    },
  };
}
