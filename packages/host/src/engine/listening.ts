import type { Clock, JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { backoffDelay } from '@mcp-fittings/toolbox/timing';
import type { EngineEvents } from '../contracts/engine.js';

type Listen = ConstructorParameters<typeof Listening>[0]['listen'];
/** Parameter `notifications` of `subscriptions/listen`: what a stream is about. */
export type ListenFilter = Parameters<Listen>[0];
/** One open `subscriptions/listen` stream. */
export type Subscription = Awaited<ReturnType<Listen>>;

/**
 * Keeps one `subscriptions/listen` stream open for all changes that the host wants from a stateless server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Listening {
  readonly #options: ConstructorParameters<typeof Listening>[0];
  /** The subscribed resources, each with the change that subscribed it. */
  readonly #uris = new Map<string, Promise<void>>();
  #current: Subscription | undefined;
  #retry: Disposable | undefined;
  #failures = 0;
  #isClosed = false;
  /** True if a stream has ended and none was opened since. */
  #hasGap = false;
  // One change at a time: each opens a stream with the new filter before it closes the previous one.
  #last: Promise<void> = Promise.resolve();

  constructor(options: {
    /** Opens a stream about this. Resolves when the server has acknowledged it. */
    readonly listen: (filter: {
      toolsListChanged?: boolean;
      promptsListChanged?: boolean;
      resourcesListChanged?: boolean;
      /** URIs of resources whose changes are reported. */
      resourceSubscriptions?: string[];
    }) => Promise<{
      /** Resolves when the stream has ended: `local` if `close` ended it. Never rejects. */
      readonly closed: Promise<string>;
      /** Ends the stream. */
      close(): Promise<void>;
    }>;
    /** Capabilities of the server, which say what it reports. */
    readonly capabilities: JSONRPCObject;
    /** Clock for the delays between attempts to open a stream again. */
    readonly clock: Clock;
    /** Called when a stream could not be opened, except for a subscription. */
    readonly onError: (error: unknown) => void;
    /** Receives what may have changed while no stream was open. */
    readonly events: Pick<EngineEvents, 'listChanged' | 'resourceUpdated'>;
  }) {
    this.#options = options;
  }

  /**
   * Opens the first stream, if there is anything to listen to. Never rejects: a server that refuses it can still be used, and its lists are
   * refreshed less often.
   */
  open(): Promise<void> {
    return this.#change().catch(this.#options.onError);
  }

  /** Adds a resource to the stream. */
  async subscribe(uri: string): Promise<void> {
    const turn = this.#uris.get(uri) ?? this.#change();
    this.#uris.set(uri, turn);
    try {
      await turn;
    } catch (error) {
      if (this.#uris.get(uri) === turn) this.#uris.delete(uri);
      throw error;
    }
  }

  /** Removes a resource from the stream. */
  async unsubscribe(uri: string): Promise<void> {
    if (this.#uris.delete(uri)) await this.#change();
  }

  /** Ends the stream for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.[Symbol.dispose]();
    await this.#current?.close();
  }

  #filter(): ListenFilter {
    return {
      ...(this.#announces('tools') && { toolsListChanged: true }),
      ...(this.#announces('prompts') && { promptsListChanged: true }),
      ...(this.#announces('resources') && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris.keys()] }),
    };
  }

  #announces(kind: string): boolean {
    const capability = this.#options.capabilities[kind];
    return isRecord(capability) && capability['listChanged'] === true;
  }

  #change(): Promise<void> {
    const turn = this.#last.then(() => this.#replace());
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #replace(): Promise<void> {
    if (this.#isClosed) return;
    const previous = this.#current;
    const wanted = this.#filter();
    this.#current = Object.keys(wanted).length === 0 ? undefined : await this.#options.listen(wanted);
    // Not before: while there is no stream, a retry is due.
    this.#retry?.[Symbol.dispose]();
    this.#failures = 0;
    if (this.#current !== undefined) this.#watch(this.#current);
    await previous?.close();
  }

  #watch(subscription: Subscription): void {
    const { events } = this.#options;
    if (this.#hasGap) {
      for (const kind of ['tools', 'prompts', 'resources'] as const) events.listChanged(kind);
      for (const uri of this.#uris.keys()) events.resourceUpdated(uri);
    }
    this.#hasGap = false;
    void subscription.closed.then((how) => {
      if (this.#isClosed || subscription !== this.#current || how === 'local') return;
      this.#current = undefined;
      this.#hasGap = true;
      this.#retryLater();
    });
  }

  #retryLater(): void {
    const { clock, onError } = this.#options;
    this.#retry = clock.schedule(() => {
      this.#change().catch((error: unknown) => {
        if (this.#isClosed) return;
        onError(error);
        this.#retryLater();
      });
    }, backoffDelay(this.#failures++));
  }
}
