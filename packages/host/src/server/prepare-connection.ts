import type { ServerCatalog } from './server-catalog.js';
import type { Connection } from '../connection/connect-once.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { Subscriptions } from './subscriptions.js';

export interface PreparationDeps {
  readonly catalog: ServerCatalog;
  readonly subscriptions: Subscriptions;
  /** Returns whether this is the current connection of the server. */
  readonly isCurrent: (connection: Connection) => boolean;
  /** Called when changes of resources may have been missed. */
  readonly onGap: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Prepares a connection before the server counts as connected: reads its lists, and restores the subscriptions of an earlier
 * connection. Repeats both when the transport has restored its session or its event stream.
 */
export function createPreparation(
  { server, clock, emitter, limits }: Pick<ServerDeps, 'server' | 'clock' | 'emitter' | 'limits'>,
  { catalog, subscriptions, isCurrent, onGap, onError }: PreparationDeps,
): (connection: Connection, signal: AbortSignal) => Promise<void> {
  return async (connection, signal) => {
    const { session, transport } = connection;
    const options = { timeoutMs: limits.discoveryMs, signal };
    const restore = async (): Promise<void> => {
      for (const error of await subscriptions.restore(session, options)) onError(error);
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
          for (const uri of subscriptions.uris) emitter.emit('resourceUpdated', { server, uri });
        });
      }, 0);
    };
    transport.onsessionrestored = renewSoon;
    transport.onreconnect = renewSoon;
  };
}
