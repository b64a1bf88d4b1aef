import type { ServerCatalog } from '../catalog/server-catalog.js';
import type { Connection } from '../connection/attempt.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { Subscriptions } from './subscriptions.js';

export interface PreparationDeps {
  readonly catalog: ServerCatalog;
  readonly subscriptions: Subscriptions;
  /** It is the connection of the server now. */
  readonly isCurrent: (connection: Connection) => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes what a connection needs before it counts as connected: its lists are read, and what the host asked an earlier
 * connection for is asked again. Both happen once more when its session or its event stream comes back.
 */
export function createPreparation(
  { server, clock, emitter, limits }: Pick<ServerDeps, 'server' | 'clock' | 'emitter' | 'limits'>,
  { catalog, subscriptions, isCurrent, onError }: PreparationDeps,
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
      // Why the connection ended says more than what did not work without it.
      throw transport.closeReason ?? error;
    }
    if (transport.closeReason !== undefined) throw transport.closeReason;
    let renewal: Disposable | undefined;
    // The session is another one that knows nothing of what the lost one was asked for, or news may have been missed
    // while the stream was down. Several such events at once are one.
    const renewSoon = (): void => {
      renewal ??= clock.schedule(() => {
        renewal = undefined;
        if (!isCurrent(connection)) return;
        catalog.changedAll(session);
        void restore().then(() => {
          for (const uri of subscriptions.uris) emitter.emit('resourceUpdated', { server, uri });
        });
      }, 0);
    };
    transport.onsessionrestored = renewSoon;
    transport.onreconnect = renewSoon;
  };
}
