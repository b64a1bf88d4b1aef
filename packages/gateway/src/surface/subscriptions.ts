import type { Host, HostEvents, ResourceRef } from '@mcp-fittings/host';
import { isNewConnection } from './new-connection.js';

interface Subscribed {
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
  readonly #subscriptions = new Map<string, Subscribed>();

  constructor(host: Pick<Host, 'subscribe' | 'unsubscribe'>) {
    this.#host = host;
  }

  /** Returns a subscription of a client, which does not count before it begins. */
  of(ref: ResourceRef, principal: string | undefined): Subscription {
    return new Subscription(ref, (count) => this.#count(ref, principal, count));
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

  #count(ref: ResourceRef, principal: string | undefined, count: 1 | -1): Promise<void> {
    const key = keyOf(ref, principal);
    const known = this.#subscriptions.get(key);
    const subscribed = known ?? { ref, principal, count: 0, isTold: false, last: Promise.resolve() };
    this.#subscriptions.set(key, subscribed);
    subscribed.count += count;
    return this.#tell(subscribed);
  }

  /** Tells the server what it does not know yet. */
  #tell(subscription: Subscribed): Promise<void> {
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

/** A subscription of one client to a resource. */
export class Subscription {
  readonly ref: ResourceRef;
  readonly #count: (count: 1 | -1) => Promise<void>;
  #state: 'new' | 'begun' | 'ended' = 'new';

  constructor(ref: ResourceRef, count: (count: 1 | -1) => Promise<void>) {
    this.ref = ref;
    this.#count = count;
  }

  /** Resolves when the server has accepted it. Rejects with its error, and has ended then. Does nothing if it has ended. */
  async begin(): Promise<void> {
    if (this.#state !== 'new') return;
    this.#state = 'begun';
    try {
      await this.#count(1);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Resolves when the server knows, and does not reject. */
  async end(): Promise<void> {
    const hasBegun = this.#state === 'begun';
    this.#state = 'ended';
    if (hasBegun) await this.#count(-1).catch(() => undefined);
  }
}

function keyOf({ server, uri }: ResourceRef, principal: string | undefined): string {
  return JSON.stringify([server, uri, principal ?? null]);
}
