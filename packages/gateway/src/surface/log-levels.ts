import { FittingsError } from '@mcp-fittings/client-core';
import { LOG_LEVELS, type LogLevel } from '@mcp-fittings/toolbox/logging';
import type { Host, HostEvents } from '@mcp-fittings/host';
import type { Caller } from '../contracts/caller.js';
import type { ClientRequest } from '../contracts/surface.js';
import type { Door } from './door.js';
import { isNewConnection } from './new-connection.js';

interface Levels {
  readonly server: string;
  readonly principal: string | undefined;
  readonly byClient: Map<object, LogLevel>;
  /** Level that the connection was told last, or is being told. */
  told: LogLevel | undefined;
  /** Requests to the server that have not ended. */
  open: number;
}

/** Levels that clients have set. A server logs at the lowest level of all clients of a person. */
export class LogLevels {
  readonly #host: Host;
  readonly #door: Door;
  readonly #levels = new Map<string, Levels>();

  constructor(host: Host, door: Door) {
    this.#host = host;
    this.#door = door;
  }

  /** Sets the level of a client for these servers. Servers that do not log are left alone. Rejects if a rate limit is exhausted. */
  async set(
    client: object,
    servers: readonly string[],
    { caller, isReplayed }: Pick<ClientRequest, 'caller' | 'isReplayed'>,
    level: LogLevel,
  ): Promise<void> {
    const { principal } = caller;
    await Promise.all(
      servers.map(async (server) => {
        const key = JSON.stringify([server, principal ?? null]);
        const known = this.#levels.get(key);
        const levels = known ?? { server, principal, byClient: new Map(), told: undefined, open: 0 };
        this.#levels.set(key, levels);
        const before = levels.byClient.get(client);
        levels.byClient.set(client, level);
        try {
          await this.#tell(levels, isReplayed ? undefined : caller);
        } catch (error) {
          // It was refused, so that a new connection is not told of it either.
          if (before === undefined) this.#drop(key, client);
          else if (levels.byClient.has(client)) levels.byClient.set(client, before);
          throw error;
        }
      }),
    );
  }

  /** Forgets a client. */
  delete(client: object): void {
    for (const key of this.#levels.keys()) this.#drop(key, client);
  }

  /** Call it when the state of a server has changed: a new connection is told of the level. */
  onState(event: HostEvents['state']): void {
    const isNew = isNewConnection(event);
    for (const levels of this.#levels.values()) {
      if (levels.server !== event.server || levels.principal !== event.principal) continue;
      // The request that has begun the connection is sent over it.
      if (isNew && levels.open === 0) levels.told = undefined;
      if (event.state.status === 'connected') this.#tell(levels).catch(() => undefined);
    }
  }

  #drop(key: string, client: object): void {
    const byClient = this.#levels.get(key)?.byClient;
    byClient?.delete(client);
    if (byClient?.size === 0) this.#levels.delete(key);
  }

  /** @param caller - who has set the level; undefined for a new connection or a restored session, which counts against no limit */
  async #tell(levels: Levels, caller?: Caller): Promise<void> {
    const { server, principal } = levels;
    const wanted = new Set(levels.byClient.values());
    const lowest = LOG_LEVELS.find((level) => wanted.has(level));
    if (lowest === undefined || levels.told === lowest) return;
    levels.told = lowest;
    levels.open++;
    const request = { server, method: 'logging/setLevel', target: lowest };
    const send = (): Promise<void> => this.#host.setLogLevel(server, lowest, { principal });
    try {
      await (caller === undefined ? send() : this.#door(caller, request, send));
    } catch (error) {
      levels.told = undefined;
      if (error instanceof FittingsError && error.code === 'RATE_LIMITED') throw error;
    } finally {
      levels.open--;
    }
  }
}
