import type { Host, ResourceRef } from '@mcp-fittings/host';

/**
 * Subscriptions of clients to resources. The host subscribes once for all clients of a person, when the first one does, and
 * unsubscribes when the last one has left.
 */
export interface Subscriptions {
  /** Resolves when the server has accepted the subscription. Rejects with its error, and the subscription does not count. */
  add(ref: ResourceRef, principal: string | undefined): Promise<void>;
  /** Ends one subscription that was added. Resolves when the server knows, and does not reject. */
  remove(ref: ResourceRef, principal: string | undefined): Promise<void>;
}

interface Subscription {
  count: number;
  /** The last request to the server. They are sent one after the other. */
  last: Promise<void>;
}

/** Creates the count. */
export function createSubscriptions(host: Pick<Host, 'subscribe' | 'unsubscribe'>): Subscriptions {
  const subscriptions = new Map<string, Subscription>();
  const keyOf = ({ server, uri }: ResourceRef, principal: string | undefined): string =>
    JSON.stringify([server, uri, principal ?? null]);

  const remove = async (ref: ResourceRef, principal: string | undefined): Promise<void> => {
    const key = keyOf(ref, principal);
    const subscription = subscriptions.get(key);
    if (subscription === undefined) return;
    subscription.count--;
    if (subscription.count > 0) return;
    subscription.last = subscription.last
      .catch(() => undefined)
      .then(async () => {
        if (subscription.count > 0) return;
        subscriptions.delete(key);
        await host.unsubscribe(ref, { principal });
      });
    await subscription.last.catch(() => undefined);
  };

  return {
    async add(ref, principal) {
      const key = keyOf(ref, principal);
      const known = subscriptions.get(key);
      const subscription = known ?? { count: 0, last: Promise.resolve() };
      subscriptions.set(key, subscription);
      subscription.count++;
      if (subscription.count === 1) {
        subscription.last = subscription.last
          .catch(() => undefined)
          .then(async () => {
            subscriptions.set(key, subscription);
            await host.subscribe(ref, { principal });
          });
      }
      const { last } = subscription;
      try {
        await last;
      } catch (error) {
        subscription.count--;
        if (subscription.count === 0 && subscriptions.get(key) === subscription) subscriptions.delete(key);
        throw error;
      }
    },
    remove,
  };
}
