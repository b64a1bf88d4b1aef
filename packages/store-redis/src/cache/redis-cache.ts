import type { HostCache } from '@mcp-fittings/client-core';
import { FittingsError, systemClock, type Clock } from '@mcp-fittings/client-core/auth';
import { keyFrom, seal, unseal, type KeySource } from '@mcp-fittings/store-file/toolkit';
import { DROP, KEEP } from './cache-scripts.js';
import { keyNames } from '../client/key-names.js';
import type { RedisClient } from '../client/redis-client.js';
import { createScriptsRunner } from '../client/scripts-runner.js';
import { READ } from '../entries/entry-scripts.js';

export interface RedisCacheOptions {
  /** A connected client, which stays yours to close: one of `redis`, or of `ioredis` through `fromIoredis`. */
  readonly client: RedisClient;
  /**
   * The key to encrypt with, and older ones by their id. Nothing in a cache is secret; but what a model reads of tools must
   * not be what somebody else has written there.
   */
  readonly key: KeySource;
  /** Beginning of all keys in Redis. Default `mcp-fittings`. */
  readonly namespace?: string | undefined;
  /** A value that was not written again for so long is dropped, milliseconds. Default 7 days. */
  readonly keepMs?: number | undefined;
  /** A longer value is not kept, bytes. Default 8 MiB. */
  readonly maxBytes?: number | undefined;
  /** Longest wait for one answer of Redis, milliseconds; a host connects without its cache then. Default 500. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const KEEP_MS = 7 * 24 * 3600 * 1000;
const MAX_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 500;

/**
 * What the replicas of a host learned of servers, for `createHost({ cache })`: one of them asks, the others know. What
 * can't be read, or was not written with the key, counts as absent. Rejects with STORE_UNAVAILABLE.
 */
export function redisCache(options: RedisCacheOptions): HostCache {
  const { client, key: keys, namespace = 'mcp-fittings', keepMs = KEEP_MS } = options;
  const { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const names = keyNames(namespace);
  const runner = createScriptsRunner({ client, timeoutMs, clock });
  // Sealed, a text is a third longer, and may have been escaped.
  const maxSealed = 2 * maxBytes + 1024;

  return {
    async get(key) {
      const { entry, value } = names('cache', key);
      try {
        const text = await runner.run(READ, [value], [maxSealed]);
        if (typeof text !== 'string') return undefined;
        const found: unknown = JSON.parse(await unseal(boundName(entry), text, keys));
        return found;
      } catch (error) {
        if (error instanceof FittingsError && error.code === 'STORE_UNAVAILABLE') throw error;
        return undefined;
      }
    },
    async set(key, value) {
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes) return;
      const { entry, value: name } = names('cache', key);
      await runner.run(KEEP, [name], [seal(boundName(entry), text, await keyFrom(keys)), keepMs]);
    },
    async delete(key) {
      await runner.run(DROP, [names('cache', key).value], []);
    },
  };
}

function boundName(entry: string): string {
  return `redis cache ${entry}`;
}
