import type { Host, ResourceRef } from '@mcp-fittings/host';

interface Subscription {
  count: number;
  /** The last request to the server. They are sent one after the other. */
  last: Promise<void>;
}

/**
 * Counts subscriptions of clients to resources. The host subscribes once for all clients of a principal, when the first one does, and
 * unsubscribes when the last one has left.
 */
export class Subscriptions {
  readonly #host: Pick<Host, 'subscribe' | 'unsubscribe'>;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(host: Pick<Host, 'subscribe' | 'unsubscribe'>) {
    this.#host = host;
  }

  /** Resolves when the server has accepted the subscription. Rejects with its error, and the subscription does not count. */
  async add(ref: ResourceRef, principal: string | undefined): Promise<void> {
    const key = keyOf(ref, principal);
    const subscription = this.#subscriptions.get(key) ?? { count: 0, last: Promise.resolve() };
    this.#subscriptions.set(key, subscription);
    subscription.count++;
    if (subscription.count === 1) {
      subscription.last = subscription.last
        .catch(() => undefined)
        .then(async () => {
          this.#subscriptions.set(key, subscription);
          await this.#host.subscribe(ref, { principal });
        });
    }
    const { last } = subscription;
    try {
      await last;
    } catch (error) {
      subscription.count--;
      if (subscription.count === 0 && this.#subscriptions.get(key) === subscription)
        this.#subscriptions.delete(key);
      throw error;
    }
  }

  /** Ends one subscription that was added. Resolves when the server knows, and does not reject. */
  async remove(ref: ResourceRef, principal: string | undefined): Promise<void> {
    const key = keyOf(ref, principal);
    const subscription = this.#subscriptions.get(key);
    if (subscription === undefined) return;
    subscription.count--;
    if (subscription.count > 0) return;
    subscription.last = subscription.last
      .catch(() => undefined)
      .then(async () => {
        if (subscription.count > 0) return;
        this.#subscriptions.delete(key);
        await this.#host.unsubscribe(ref, { principal });
      });
    await subscription.last.catch(() => undefined);
  }
}

function keyOf({ server, uri }: ResourceRef, principal: string | undefined): string {
  return JSON.stringify([server, uri, principal ?? null]);
}
