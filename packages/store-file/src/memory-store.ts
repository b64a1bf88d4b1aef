import { systemClock, type Clock } from '@mcp-fittings/client-core';
import type { TokenStore } from '@mcp-fittings/client-core/auth';
import { createKeyedMutex } from './locks/keyed-queue.js';
import { DEFAULT_WAIT_MS, type LockOptions } from './locks/lock-times.js';
import { serializeValue, parseValue } from './value-text.js';

export interface MemoryStoreOptions {
  readonly lock?: Pick<LockOptions, 'waitMs'> | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A {@link TokenStore} that ends with the process: for tests, and for hosts where nothing may be written. Callers
 * exclude each other when they share the instance; no other process sees it.
 */
export function memoryStore(options: MemoryStoreOptions = {}): TokenStore {
  const { lock: { waitMs = DEFAULT_WAIT_MS } = {}, clock = systemClock } = options;
  const queue = createKeyedMutex(clock);
  // Texts, not objects: nobody can change what is stored by changing what they put in or got out.
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
      const leave = await queue.enter(key, waitMs);
      try {
        return await work(new AbortController().signal);
      } finally {
        leave();
      }
    },
  };
}
