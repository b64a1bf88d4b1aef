import { FittingsError } from '@mcp-fittings/client-core';
import { LOG_LEVELS, type LogLevel } from '@mcp-fittings/toolbox/logging';
import type { Host } from '@mcp-fittings/host';
import type { Caller } from '../contracts/caller.js';
import type { Door } from './door.js';

/** Levels that clients have set. A server logs at the lowest level of all clients of a person. */
export interface LogLevels {
  /** Sets the level of a client for these servers. Servers that do not log are left alone. Rejects if a rate limit is exhausted. */
  set(client: object, servers: readonly string[], caller: Caller, level: LogLevel): Promise<void>;
  /** Forgets a client. */
  delete(client: object): void;
}

/** Creates the levels. */
export function createLogLevels(host: Pick<Host, 'setLogLevel'>, door: Door): LogLevels {
  const levels = new Map<string, Map<object, LogLevel>>();
  /** Level that each server was told last. */
  const told = new Map<string, LogLevel>();
  const keyOf = (server: string, principal: string | undefined): string =>
    JSON.stringify([server, principal ?? null]);

  const tell = async (server: string, caller: Caller): Promise<void> => {
    const { principal } = caller;
    const key = keyOf(server, principal);
    const wanted = new Set(levels.get(key)?.values());
    const lowest = LOG_LEVELS.find((level) => wanted.has(level));
    if (lowest === undefined || told.get(key) === lowest) return;
    told.set(key, lowest);
    const request = { server, method: 'logging/setLevel', target: lowest };
    await door(caller, request, () => host.setLogLevel(server, lowest, { principal })).catch(
      (error: unknown) => {
        told.delete(key);
        if (error instanceof FittingsError && error.code === 'RATE_LIMITED') throw error;
      },
    );
  };

  return {
    async set(client, servers, caller, level) {
      await Promise.all(
        servers.map((server) => {
          const key = keyOf(server, caller.principal);
          const own = levels.get(key) ?? new Map<object, LogLevel>();
          levels.set(key, own.set(client, level));
          return tell(server, caller);
        }),
      );
    },
    delete(client) {
      for (const [key, own] of levels) {
        if (!own.delete(client) || own.size > 0) continue;
        levels.delete(key);
        told.delete(key);
      }
    },
  };
}
