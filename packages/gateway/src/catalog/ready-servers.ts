import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';
import type { Host, ServerSnapshot } from '@mcp-fittings/host';

/** Options of {@link createReadyServers}. */
export interface ReadyServersOptions {
  readonly host: Host;
  readonly clock: Clock;
  /** How many servers are started at the same time. */
  readonly parallelStarts: number;
  /** Time after which a server that could not be started for a person is tried again, in milliseconds. */
  readonly retryMs: number;
}

/** Starts servers when a caller first needs their lists. */
export interface ReadyServers {
  /**
   * Resolves when each of these servers has its lists or cannot have them now, and after `ms` milliseconds at the latest. A server
   * that takes longer is started all the same. Never rejects.
   */
  ready(servers: readonly string[], principal: string | undefined, ms: number): Promise<void>;
}

/** Creates it. Callers that need the same server for the same person wait for one start. */
export function createReadyServers(options: ReadyServersOptions): ReadyServers {
  const { host, clock, parallelStarts, retryMs } = options;
  const starting = new Map<string, Promise<void>>();
  /** When a server could not be started for a person. */
  const failedAt = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    if (running >= parallelStarts) await new Promise<void>((resolve) => void waiting.push(resolve));
    running++;
    try {
      await work();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };

  const start = (server: string, principal: string | undefined): Promise<void> => {
    const key = JSON.stringify([server, principal ?? null]);
    const under = starting.get(key);
    if (under !== undefined) return under;
    const last = failedAt.get(key);
    if (last !== undefined && clock.now() - last < retryMs) return Promise.resolve();
    failedAt.delete(key);
    const begun = inTurn(async () => {
      try {
        await host.start(server, { principal });
      } catch (error) {
        // The state of the server tells why; the caller does without its lists.
        if (!(error instanceof FittingsError)) throw error;
        for (const [old, at] of failedAt) if (clock.now() - at >= retryMs) failedAt.delete(old);
        failedAt.set(key, clock.now());
      }
    })
      .catch(() => undefined)
      .finally(() => starting.delete(key));
    starting.set(key, begun);
    return begun;
  };

  return {
    async ready(servers, principal, ms) {
      const starts = servers.flatMap((server) => {
        const snapshot = snapshotOf(host, server, principal);
        if (snapshot === undefined) return [];
        // It is tried again now and then, and no list waits for it.
        if (snapshot.state.status === 'failed') void start(server, principal);
        return needsStart(snapshot) ? [start(server, principal)] : [];
      });
      if (starts.length > 0) await settlesWithin(ms, Promise.all(starts), clock);
    },
  };
}

/** Returns whether the lists of a server will only be known once it has been started. */
function needsStart({ state, principal, counts }: ServerSnapshot): boolean {
  switch (state.status) {
    case 'connecting':
    case 'pending':
      return true;
    case 'disconnected':
      return state.reason === 'not started' && (principal !== undefined || isEmpty(counts));
    default:
      return false;
  }
}

const isEmpty = (counts: ServerSnapshot['counts']): boolean =>
  Object.values(counts).every((count) => count === 0);

/** Returns the snapshot of a server; `undefined` if it was removed meanwhile. */
export function snapshotOf(
  host: Host,
  server: string,
  principal: string | undefined,
): ServerSnapshot | undefined {
  try {
    return host.server(server, { principal });
  } catch (error) {
    if (error instanceof FittingsError) return undefined;
    throw error;
  }
}
