import type { Clock } from '@mcp-fittings/client-core';
import type { Connection } from '../connection/connect-once.js';
import type { ServerCatalog } from './server-catalog.js';
import type { Subscriptions } from './subscriptions.js';

export interface PreparationOptions {
  readonly clock: Clock;
  /** Longest time to restore a subscription, in milliseconds. */
  readonly timeoutMs: number;
  readonly catalog: ServerCatalog;
  readonly subscriptions: Subscriptions;
  /** Returns whether this is the current connection of the server. */
  readonly isCurrent: (connection: Connection) => boolean;
  /** Called when changes of resources may have been missed. */
  readonly onGap: () => void;
  /** Called for each subscribed resource that may have changed. */
  readonly onUpdated: (uri: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Prepares a connection before the server counts as connected: reads its lists, and restores the subscriptions of an earlier
 * connection. Repeats both when the transport has restored its session or its event stream.
 */
export async function prepareConnection(
  connection: Connection,
  signal: AbortSignal,
  options: PreparationOptions,
): Promise<void> {
  const { session, transport } = connection;
  const { clock, timeoutMs, catalog, subscriptions, isCurrent, onGap, onUpdated, onError } = options;
  const restore = async (): Promise<void> => {
    for (const error of await subscriptions.restore(session, { timeoutMs, signal })) onError(error);
  };
  try {
    await Promise.all([catalog.readAll(session, signal), restore()]);
  } catch (error) {
    // The reason for the end of the connection is more useful than the failure that followed from it.
    throw transport.closeReason ?? error;
  }
  if (transport.closeReason !== undefined) throw transport.closeReason;
  let renewal: Disposable | undefined;
  // A new session does not have the subscriptions of the lost one, and notifications may have been missed while the stream
  // was down. Several such events at once count as one.
  const renewSoon = (): void => {
    renewal ??= clock.schedule(() => {
      renewal = undefined;
      if (!isCurrent(connection)) return;
      catalog.changedAll(session);
      onGap();
      void restore().then(() => {
        for (const uri of subscriptions.uris) onUpdated(uri);
      });
    }, 0);
  };
  transport.onsessionrestored = renewSoon;
  transport.onreconnect = renewSoon;
}
