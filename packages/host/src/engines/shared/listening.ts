import { isRecord, type Clock } from '@mcp-fittings/client-core';
import { backoffDelay } from '@mcp-fittings/client-core/timing';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';

/** Parameter `notifications` of `subscriptions/listen`: what a stream is about. */
export interface ListenFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: string[];
}

/** One open `subscriptions/listen` stream. */
export interface Subscription {
  /** Resolves when the stream has ended: `local` if {@link close} ended it. Never rejects. */
  readonly closed: Promise<string>;
  close(): Promise<void>;
}

export interface ListeningOptions {
  /** Opens a stream. Resolves when the server has acknowledged it. */
  readonly listen: (filter: ListenFilter) => Promise<Subscription>;
  readonly capabilities: JSONRPCObject;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Called when changes may have been missed, also of these subscribed resources. */
  readonly onGap: (uris: readonly string[]) => void;
}

/** Keeps one `subscriptions/listen` stream open for all changes that the host wants from a stateless server. */
export interface Listening {
  /** Resolves when the server has acknowledged the first stream, or at once if there is nothing to listen to. */
  open(): Promise<void>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  close(): Promise<void>;
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions */
export function createListening(options: ListeningOptions): Listening {
  const { capabilities, clock } = options;
  const uris = new Set<string>();
  let current: Subscription | undefined;
  let retry: Disposable | undefined;
  let failures = 0;
  let closed = false;
  // One change at a time: each opens a stream with the new filter before it closes the previous one.
  let last: Promise<void> = Promise.resolve();

  const announces = (kind: string): boolean => {
    const capability = capabilities[kind];
    return isRecord(capability) && capability['listChanged'] === true;
  };
  const filter = (): ListenFilter => ({
    ...(announces('tools') && { toolsListChanged: true }),
    ...(announces('prompts') && { promptsListChanged: true }),
    ...(announces('resources') && { resourcesListChanged: true }),
    ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
  });

  const renew = (): Promise<void> => {
    const turn = last.then(replace);
    last = turn.catch(() => undefined);
    return turn;
  };

  const replace = async (): Promise<void> => {
    if (closed) return;
    retry?.[Symbol.dispose]();
    const previous = current;
    const wanted = filter();
    current = Object.keys(wanted).length === 0 ? undefined : await options.listen(wanted);
    if (current !== undefined) watch(current);
    await previous?.close();
  };

  const watch = (subscription: Subscription): void => {
    void subscription.closed.then((how) => {
      if (closed || subscription !== current || how === 'local') return;
      current = undefined;
      retryLater();
    });
  };

  const retryLater = (): void => {
    retry = clock.schedule(() => {
      renew().then(
        () => {
          failures = 0;
          options.onGap([...uris]);
        },
        (error: unknown) => {
          options.onError(error);
          retryLater();
        },
      );
    }, backoffDelay(failures++));
  };

  return {
    open: renew,
    async subscribe(uri) {
      if (uris.has(uri)) return;
      uris.add(uri);
      try {
        await renew();
      } catch (error) {
        uris.delete(uri);
        throw error;
      }
    },
    async unsubscribe(uri) {
      if (uris.delete(uri)) await renew();
    },
    async close() {
      closed = true;
      retry?.[Symbol.dispose]();
      await current?.close();
    },
  };
}
