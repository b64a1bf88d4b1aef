import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';
import type { Host, ServerSnapshot } from '@mcp-fittings/host';
import { RecentValues } from '../state/recent-values.js';

/** Time after which a server that could not be started for a person is tried again, in milliseconds. */
const RETRY_MS = 30_000;
/** Servers of people of which that is remembered. */
const MAX_FAILED = 10_000;

/** Starts servers when a caller first needs their lists. Callers that need the same server for the same principal wait for one start. */
export class ReadyServers {
  readonly #host: Host;
  readonly #clock: Clock;
  readonly #starting = new Map<string, Promise<void>>();
  /** Servers that could not be started for a principal, until they are tried again. */
  readonly #failed: RecentValues<true>;

  constructor(host: Host, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
    this.#failed = new RecentValues(MAX_FAILED, clock);
  }

  /**
   * Resolves when each of these servers has its lists or cannot have them now, and after `ms` milliseconds at the latest. A server
   * that takes longer is started all the same. Never rejects.
   */
  async ready(servers: readonly string[], principal: string | undefined, ms: number): Promise<void> {
    const starts = servers.flatMap((server) => {
      const snapshot = snapshotOf(this.#host, server, principal);
      if (snapshot === undefined) return [];
      // It is tried again now and then, and no list waits for it.
      if (snapshot.state.status === 'failed') void this.#start(server, principal);
      return needsStart(snapshot) ? [this.#start(server, principal)] : [];
    });
    if (starts.length > 0) await settlesWithin(ms, Promise.all(starts), this.#clock);
  }

  #start(server: string, principal: string | undefined): Promise<void> {
    const key = JSON.stringify([server, principal ?? null]);
    const under = this.#starting.get(key);
    if (under !== undefined) return under;
    if (this.#failed.get(key) === true) return Promise.resolve();
    const begun = this.#begin(server, principal, key).finally(() => this.#starting.delete(key));
    this.#starting.set(key, begun);
    return begun;
  }

  async #begin(server: string, principal: string | undefined, key: string): Promise<void> {
    try {
      await this.#host.start(server, { principal });
    } catch (error) {
      // The state of the server tells why; the caller does without its lists.
      if (error instanceof FittingsError) this.#failed.set(key, true, this.#clock.now() + RETRY_MS);
    }
  }
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

/** Returns whether a server has listed nothing. */
export function isEmpty(counts: ServerSnapshot['counts'] | undefined): boolean {
  return Object.values(counts ?? {}).every((count) => count === 0);
}

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
