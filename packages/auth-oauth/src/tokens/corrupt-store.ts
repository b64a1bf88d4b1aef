import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';

/** Returns whether a stored value exists but cannot be read, so that only a new sign-in helps. */
export function isCorrupt(error: unknown): error is FittingsError {
  return error instanceof FittingsError && error.code === 'STORE_CORRUPT';
}

/** For `catch`: treats an unreadable value as missing where it is about to be replaced. */
export function absentWhenCorrupt(error: unknown): undefined {
  if (!isCorrupt(error)) throw error;
}

/** Returns the store for values that can be created again, such as registrations: an unreadable value is missing. */
export function forReplaceable(store: TokenStore): TokenStore {
  return {
    get: (key): Promise<StoredValue | undefined> => store.get(key).catch(absentWhenCorrupt),
    set: (key, value) => store.set(key, value),
    delete: (key) => store.delete(key),
    withLock: (key, work) => store.withLock(key, work),
  };
}
