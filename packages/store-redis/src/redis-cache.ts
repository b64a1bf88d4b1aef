import type { Clock, HostCache } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { resolveKey, seal, unseal, type KeySource } from '@mcp-fittings/toolbox/stores';
import { READ } from './entries.js';
import { unlessUnreadable } from './redis-errors.js';
import type { RedisClient } from './redis-client.js';
import { createRedisKeys } from './redis-keys.js';
import { ScriptRunner } from './script-runner.js';

/** Options of {@link redisCache}. */
export interface RedisCacheOptions {
  /** A connected client of `redis`, or of `ioredis` through `fromIoredis`. The cache does not close it. */
  readonly client: RedisClient;
  /**
   * Provides the key to encrypt with, and older keys by their id. Nothing in the cache is secret, but a model must not read
   * descriptions of tools that another program wrote.
   */
  readonly key: KeySource;
  /** Prefix of all keys in Redis; caches with different namespaces are separate. Default `mcp-fittings`. */
  readonly namespace?: string | undefined;
  /** Time after its last write at which a value is deleted, in milliseconds. Default 7 days. */
  readonly keepMs?: number | undefined;
  /** Largest value that is stored, in bytes of JSON; a larger one is skipped. Default 8 MiB. */
  readonly maxBytes?: number | undefined;
  /** Longest wait for one operation on Redis, in milliseconds; then the host connects without the cache. Default 500. */
  readonly timeoutMs?: number | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const KEEP_MS = 7 * 24 * 3600 * 1000;
const MAX_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 500;

/** KEYS: value. ARGV: text, lifetime in ms. */
const WRITE = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'ok'`;

/** KEYS: value. */
const DELETE = `
redis.call('DEL', KEYS[1])
return 'ok'`;

/**
 * Creates a `HostCache` for `createHost({ cache })` that shares lists and handshakes among the replicas of a host. A value
 * that cannot be read, or was not written with the key, counts as absent.
 *
 * Throws `CONFIG_INVALID` for an invalid namespace. Its methods reject with `STORE_UNAVAILABLE`; the host then connects
 * without the cache.
 * @example
 * const host = createHost({ name, version, transports: [http()], cache: redisCache({ client, key }) });
 */
export function redisCache(options: RedisCacheOptions): HostCache {
  const { client, key: keys, namespace = 'mcp-fittings', keepMs = KEEP_MS } = options;
  const { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const redisKeys = createRedisKeys(namespace);
  const runner = new ScriptRunner({ client, timeoutMs, clock });
  // Encryption makes a text a third longer, and escapes may add to it.
  const maxSealed = 2 * maxBytes + 1024;

  return {
    async get(key) {
      const { entry, value } = redisKeys('cache', key);
      return unlessUnreadable(async () => {
        const text = await runner.run(READ, [value], [maxSealed]);
        if (typeof text !== 'string') return undefined;
        const found: unknown = JSON.parse(await unseal(boundName(entry), text, keys));
        return found;
      });
    },
    async set(key, value) {
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes) return;
      const { entry, value: name } = redisKeys('cache', key);
      await runner.run(WRITE, [name], [seal(boundName(entry), text, await resolveKey(keys)), keepMs]);
    },
    async delete(key) {
      await runner.run(DELETE, [redisKeys('cache', key).value], []);
    },
  };
}

function boundName(entry: string): string {
  return `redis cache ${entry}`;
}
