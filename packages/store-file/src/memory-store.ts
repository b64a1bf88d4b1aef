import { systemClock, type Clock, type TokenStore } from '@mcp-fittings/client-core/auth';
import { createKeyedQueue } from './locks/keyed-queue.js';
import { DEFAULT_WAIT_MS, type LockTimes } from './locks/lock-times.js';
import { textOfValue, valueOfText } from './value-text.js';

export interface MemoryStoreOptions {
  readonly lock?: Pick<LockTimes, 'waitMs'> | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A {@link TokenStore} that ends with the process: for tests, and for hosts where nothing may be written. Callers
 * exclude each other when they share the instance; no other process sees it.
 */
export function memoryStore(options: MemoryStoreOptions = {}): TokenStore {
  const { lock: { waitMs = DEFAULT_WAIT_MS } = {}, clock = systemClock } = options;
  const queue = createKeyedQueue(clock);
  // Texts, not objects: nobody can change what is stored by changing what they put in or got out.
  const texts = new Map<string, string>();

  return {
    async get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : valueOfText(text);
    },
    async set(key, value) {
      texts.set(key, textOfValue(value));
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
