import { systemClock, type Clock, type TokenStore } from '@mcp-fittings/client-core/auth';
import {
  asStoreError,
  createKeyedQueue,
  DEFAULT_WAIT_MS,
  entryName,
  textOfValue,
  valueOfText,
} from '@mcp-fittings/store-file/toolkit';

/** What the store needs of the service's own client, which stays the host's. */
export interface ShelfClient {
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface ShelfStoreOptions {
  readonly client: ShelfClient;
  /** How long a caller waits for the lock of a key, milliseconds. Default 60 000. */
  readonly waitMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Keeps credentials in a service. Callers of this process exclude each other. Rejects with `STORE_VALUE_INVALID` for what
 * can not be stored, with `STORE_BUSY` when a lock is not to be had, and with `STORE_UNAVAILABLE` when the service fails.
 */
export function createShelfStore(options: ShelfStoreOptions): TokenStore {
  const { client, waitMs = DEFAULT_WAIT_MS, clock = systemClock } = options;
  const queue = createKeyedQueue(clock);

  return {
    async get(key) {
      const stored = await reached(client.read(entryName(key)));
      return stored === undefined ? undefined : valueOfText(stored);
    },
    async set(key, value) {
      const written = textOfValue(value);
      await reached(client.write(entryName(key), written));
    },
    async delete(key) {
      await reached(client.remove(entryName(key)));
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

/** What the service says to a failure may hold what was sent, so it is only the cause. */
function reached<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw asStoreError(cause, 'The service that keeps the credentials can not be reached.');
  });
}
