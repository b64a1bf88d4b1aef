import { FittingsError } from '@mcp-fittings/client-core';
import { LOG_LEVELS, type LogLevel } from '@mcp-fittings/toolbox/logging';
import type { Host } from '@mcp-fittings/host';
import type { Caller } from '../contracts/caller.js';
import type { Door } from './door.js';

/** Levels that clients have set. A server logs at the lowest level of all clients of a person. */
export class LogLevels {
  readonly #host: Host;
  readonly #door: Door;
  readonly #levels = new Map<string, Map<object, LogLevel>>();
  /** Level that each server was told last. */
  readonly #told = new Map<string, LogLevel>();

  constructor(host: Host, door: Door) {
    this.#host = host;
    this.#door = door;
  }

  /** Sets the level of a client for these servers. Servers that do not log are left alone. Rejects if a rate limit is exhausted. */
  async set(client: object, servers: readonly string[], caller: Caller, level: LogLevel): Promise<void> {
    await Promise.all(
      servers.map((server) => {
        const key = JSON.stringify([server, caller.principal ?? null]);
        const own = this.#levels.get(key) ?? new Map<object, LogLevel>();
        this.#levels.set(key, own.set(client, level));
        return this.#tell(server, caller, key);
      }),
    );
  }

  /** Forgets a client. */
  delete(client: object): void {
    for (const [key, own] of this.#levels) {
      if (!own.delete(client) || own.size > 0) continue;
      this.#levels.delete(key);
      this.#told.delete(key);
    }
  }

  async #tell(server: string, caller: Caller, key: string): Promise<void> {
    const { principal } = caller;
    const wanted = new Set(this.#levels.get(key)?.values());
    const lowest = LOG_LEVELS.find((level) => wanted.has(level));
    if (lowest === undefined || this.#told.get(key) === lowest) return;
    this.#told.set(key, lowest);
    const request = { server, method: 'logging/setLevel', target: lowest };
    try {
      await this.#door(caller, request, () => this.#host.setLogLevel(server, lowest, { principal }));
    } catch (error) {
      this.#told.delete(key);
      if (error instanceof FittingsError && error.code === 'RATE_LIMITED') throw error;
    }
  }
}
