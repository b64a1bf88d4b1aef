import type { Clock, TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import {
  KeyedMutex,
  DEFAULT_WAIT_MS,
  type LockOptions,
  parseValue,
  serializeValue,
} from '@mcp-fittings/toolbox/stores';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Limits how long `withLock` waits for its turn. Default 60 000 ms. There is no `staleMs`: a holder cannot die alone. */
  readonly lock?: Pick<LockOptions, 'waitMs'> | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a {@link TokenStore} that keeps credentials until the process ends: for tests, and for hosts that must not write
 * to the disk. Callers exclude each other when they share the instance; other processes do not see it.
 *
 * Its methods reject with `STORE_VALUE_INVALID` for a value that is not a plain JSON object of at most 64 KB, and with
 * `STORE_BUSY` when a lock is not free in time.
 * @example
 * const store = memoryStore();
 * await store.set('https://as.example', { refreshToken: 'r1' });
 */
export function memoryStore(options: MemoryStoreOptions = {}): TokenStore {
  const { lock: { waitMs = DEFAULT_WAIT_MS } = {}, clock = systemClock } = options;
  const mutex = new KeyedMutex(clock);
  // Texts, not objects: a caller that changes an object it passed in or received does not change what is stored.
  const texts = new Map<string, string>();

  return {
    async get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : parseValue(text);
    },
    async set(key, value) {
      texts.set(key, serializeValue(value));
    },
    async delete(key) {
      texts.delete(key);
    },
    async withLock(key, work) {
      const release = await mutex.acquire(key, waitMs);
      try {
        return await work(new AbortController().signal);
      } finally {
        release();
      }
    },
  };
}
