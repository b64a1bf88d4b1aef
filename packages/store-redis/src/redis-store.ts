import type { Clock, TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { KeySource, LockOptions } from '@mcp-fittings/toolbox/stores';
import { createRedisKeys, type RedisKeys } from './redis-keys.js';
import type { RedisClient } from './redis-client.js';
import { ScriptRunner } from './script-runner.js';
import { Entries } from './entries.js';
import { Leases } from './leases.js';

/** Options of {@link redisStore}. */
export interface RedisStoreOptions {
  /** A connected client of `redis`, or of `ioredis` through `fromIoredis`. The store does not close it. */
  readonly client: RedisClient;
  /** Provides the key to encrypt with, and older keys by their id. */
  readonly key: KeySource;
  /**
   * Prefix of all keys in Redis. Stores with different namespaces do not see each other's entries: use one per user in a
   * host that serves several. 1 to 128 letters, digits and `. : @ / _ -`. Default `mcp-fittings`.
   */
  readonly namespace?: string | undefined;
  /** Time after which an unused refresh token is deleted, in milliseconds. Default 180 days. */
  readonly keepMs?: number | undefined;
  /**
   * Limits how long `withLock` waits, and when a holder that shows no sign of life loses the lock. Here `staleMs` is the lifetime
   * of a lease that is renewed while the work runs.
   */
  readonly lock?: LockOptions | undefined;
  /** Longest wait for one operation on Redis, including retries, in milliseconds. Default 2000. */
  readonly timeoutMs?: number | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const KEEP_MS = 180 * 24 * 3600 * 1000;
const TIMEOUT_MS = 2000;

/**
 * Creates a {@link TokenStore} that all replicas of a host share. Values are encrypted with AES-256-GCM and bound to their
 * entry, version and key; locks hold across machines.
 *
 * Throws `CONFIG_INVALID` for an invalid namespace. Its methods reject with `STORE_UNAVAILABLE` when Redis does not reply or
 * refuses, `STORE_CORRUPT` (`details.reason`) when a value is not what was written, `STORE_LOCKED` without the key,
 * `STORE_VALUE_INVALID` above 64 KB, `STORE_BUSY`, `STORE_LOCK_LOST`, `CONFIG_INVALID` for a key that is not 32 bytes long,
 * and `CALLBACK_FAILED` when `key` throws.
 * @example
 * const client = await createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true }).connect();
 * const store = redisStore({ client, key: (id) => keyFromManagementService(id), namespace: 'agent:person-17' });
 */
export function redisStore(options: RedisStoreOptions): TokenStore {
  const { client, key: keys, namespace = 'mcp-fittings', keepMs = KEEP_MS } = options;
  const { timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const redisKeys = createRedisKeys(namespace);
  const keysOf = (key: string): RedisKeys => redisKeys('credential', key);
  const runner = new ScriptRunner({ client, timeoutMs, clock });
  const entries = new Entries({ runner, keys, keepMs, clock });
  const leases = new Leases({ runner, lock: options.lock, clock });

  return {
    get: (key) => entries.get(keysOf(key)),
    async set(key, value) {
      const own = keysOf(key);
      await entries.set(own, value, leases.tokenOf(own));
    },
    async delete(key) {
      const own = keysOf(key);
      await entries.delete(own, leases.tokenOf(own));
    },
    withLock: (key, work) => leases.run(keysOf(key), work),
  };
}
