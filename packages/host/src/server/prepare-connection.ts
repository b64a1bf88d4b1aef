import type { Clock } from '@mcp-fittings/client-core';
import type { ServerCatalogue } from '../catalogue/server-catalogue.js';
import type { Live } from '../connection/attempt.js';
import type { HostEvents } from '../contracts/host.js';
import type { Emitter } from '../observability/events.js';
import type { Standing } from './standing.js';

export interface PreparationDeps {
  readonly server: string;
  readonly clock: Clock;
  readonly emitter: Emitter<HostEvents>;
  readonly catalogue: ServerCatalogue;
  readonly standing: Standing;
  /** For each request that restores what was asked for before; milliseconds. */
  readonly discoveryMs: number;
  /** It is the connection of the server now. */
  readonly isCurrent: (live: Live) => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes what a connection needs before it counts as connected: its lists are read, and what the host asked an earlier
 * connection for is asked again. Both happen once more when its session or its event stream comes back.
 */
export function createPreparation(deps: PreparationDeps): (live: Live, signal: AbortSignal) => Promise<void> {
  const { server, clock, emitter, catalogue, standing, discoveryMs, isCurrent, onError } = deps;
  return async (live, signal) => {
    const { session, transport } = live;
    const options = { timeoutMs: discoveryMs, signal };
    const restore = async (): Promise<void> => {
      for (const error of await standing.restore(session, options)) onError(error);
    };
    try {
      await Promise.all([catalogue.readAll(session, signal), restore()]);
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
        if (!isCurrent(live)) return;
        catalogue.changedAll(session);
        void restore().then(() => {
          for (const uri of standing.uris) emitter.emit('resourceUpdated', { server, uri });
        });
      }, 0);
    };
    transport.onsessionrestored = renewSoon;
    transport.onreconnect = renewSoon;
  };
}
