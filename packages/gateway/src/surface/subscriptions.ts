import type { Host, HostEvents, ResourceRef } from '@mcp-fittings/host';
import { isNewConnection } from './new-connection.js';

interface Subscription {
  readonly ref: ResourceRef;
  readonly principal: string | undefined;
  count: number;
  /** The connection to the server has it. */
  isTold: boolean;
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
    const known = this.#subscriptions.get(key);
    const subscription = known ?? { ref, principal, count: 0, isTold: false, last: Promise.resolve() };
    this.#subscriptions.set(key, subscription);
    subscription.count++;
    try {
      await this.#tell(subscription);
    } catch (error) {
      await this.remove(ref, principal);
      throw error;
    }
  }

  /** Ends one subscription that was added. Resolves when the server knows, and does not reject. */
  async remove(ref: ResourceRef, principal: string | undefined): Promise<void> {
    const subscription = this.#subscriptions.get(keyOf(ref, principal));
    if (subscription === undefined) return;
    subscription.count--;
    await this.#tell(subscription).catch(() => undefined);
  }

  /** Call it when the state of a server has changed: a new connection is told of the subscriptions. */
  onState(event: HostEvents['state']): void {
    const isNew = isNewConnection(event);
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.ref.server !== event.server || subscription.principal !== event.principal) continue;
      if (isNew) subscription.isTold = false;
      if (event.state.status === 'connected') this.#tell(subscription).catch(() => undefined);
    }
  }

  /** Tells the server what it does not know yet. */
  #tell(subscription: Subscription): Promise<void> {
    const { ref, principal } = subscription;
    subscription.last = subscription.last
      .catch(() => undefined)
      .then(async () => {
        if (subscription.count > 0 && !subscription.isTold) {
          await this.#host.subscribe(ref, { principal });
          subscription.isTold = true;
        } else if (subscription.count === 0 && subscription.isTold) {
          subscription.isTold = false;
          await this.#host.unsubscribe(ref, { principal });
        }
      })
      .finally(() => {
        const key = keyOf(ref, principal);
        if (subscription.count === 0 && this.#subscriptions.get(key) === subscription)
          this.#subscriptions.delete(key);
      });
    return subscription.last;
  }
}

function keyOf({ server, uri }: ResourceRef, principal: string | undefined): string {
  return JSON.stringify([server, uri, principal ?? null]);
}
