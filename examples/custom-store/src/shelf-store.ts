import type { Clock, TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import {
  asStoreError,
  createKeyedMutex,
  DEFAULT_WAIT_MS,
  entryName,
  serializeValue,
  parseValue,
} from '@mcp-fittings/store-file/toolkit';

/** The part of the service's client that the store uses. The host creates and closes the client. */
export interface ShelfClient {
  /** Resolves with the text under `name`, or with `undefined` if nothing is stored there. */
  read(name: string): Promise<string | undefined>;
  /** Stores a text under `name`, and replaces the previous one. */
  write(name: string, text: string): Promise<void>;
  /** Removes the text under `name`; does nothing if nothing is stored there. */
  remove(name: string): Promise<void>;
}

/** Options of {@link createShelfStore}. */
export interface ShelfStoreOptions {
  /** The client of the service. */
  readonly client: ShelfClient;
  /** Maximum time to wait for the lock of a key, in milliseconds. Default 60 000. */
  readonly waitMs?: number | undefined;
  /** Default: the system clock. Tests pass one of their own. */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a store that keeps credentials in a service. Its locks exclude callers of the same process. Rejects with
 * `STORE_VALUE_INVALID` for a value that cannot be stored, with `STORE_BUSY` if a lock is not available in time, and with
 * `STORE_UNAVAILABLE` if the service fails.
 */
export function createShelfStore(options: ShelfStoreOptions): TokenStore {
  const { client, waitMs = DEFAULT_WAIT_MS, clock = systemClock } = options;
  const mutex = createKeyedMutex(clock);

  return {
    async get(key) {
      const stored = await reached(client.read(entryName(key)));
      return stored === undefined ? undefined : parseValue(stored);
    },
    async set(key, value) {
      const written = serializeValue(value);
      await reached(client.write(entryName(key), written));
    },
    async delete(key) {
      await reached(client.remove(entryName(key)));
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

/** Errors of the service may contain the credentials that were sent, so the message does not repeat them. */
function reached<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw asStoreError(cause, 'Could not reach the service that stores the credentials.');
  });
}
