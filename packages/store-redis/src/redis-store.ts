import { systemClock, type Clock, type TokenStore } from '@mcp-fittings/client-core/auth';
import type { KeySource, LockTimes } from '@mcp-fittings/store-file/toolkit';
import { keyNames, type KeyNames } from './client/key-names.js';
import type { RedisClient } from './client/redis-client.js';
import { createScriptsRunner } from './client/scripts-runner.js';
import { createEntries } from './entries/entries.js';
import { createLeases } from './leases/leases.js';

export interface RedisStoreOptions {
  /** A connected client, which stays yours to close: one of `redis`, or of `ioredis` through `fromIoredis`. */
  readonly client: RedisClient;
  /** The key to encrypt with, and older ones by their id. @see EncryptionKey */
  readonly key: KeySource;
  /**
   * Beginning of all keys in Redis. Stores with another namespace see nothing of this one: give each person one where a
   * host serves several. Default `mcp-fittings`.
   */
  readonly namespace?: string | undefined;
  /** A refresh token that was not used for so long is dropped, milliseconds. Default 180 days. */
  readonly keepMs?: number | undefined;
  /** `staleMs` is the life of a lease, which is renewed while the work runs. */
  readonly lock?: LockTimes | undefined;
  /** Longest wait for one answer of Redis, tries included, milliseconds. Default 2000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const KEEP_MS = 180 * 24 * 3600 * 1000;
const TIMEOUT_MS = 2000;

/**
 * A {@link TokenStore} that all replicas of a host share: values encrypted with AES-256-GCM, each bound to its entry, its
 * version and its key; locks across machines.
 *
 * Rejects with STORE_UNAVAILABLE where Redis gives no answer or a refusal, STORE_CORRUPT (`details.reason`) where it gives
 * something else than what was written, STORE_LOCKED without the key, STORE_VALUE_INVALID above 64 KB, STORE_BUSY,
 * STORE_LOCK_LOST, CALLBACK_FAILED. Throws CONFIG_INVALID.
 */
export function redisStore(options: RedisStoreOptions): TokenStore {
  const { client, key: keys, namespace = 'mcp-fittings', keepMs = KEEP_MS } = options;
  const { timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const names = keyNames(namespace);
  const namesOf = (key: string): KeyNames => names('credential', key);
  const runner = createScriptsRunner({ client, timeoutMs, clock });
  const entries = createEntries({ runner, keys, keepMs, clock });
  const leases = createLeases({ runner, times: options.lock, clock });

  return {
    get: (key) => entries.get(namesOf(key)),
    async set(key, value) {
      const own = namesOf(key);
      await entries.set(own, value, leases.tokenOf(own));
    },
    async delete(key) {
      const own = namesOf(key);
      await entries.delete(own, leases.tokenOf(own));
    },
    withLock: (key, work) => leases.run(namesOf(key), work),
  };
}
