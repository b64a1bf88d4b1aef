import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';

/** The store has something, or has lost something, that can't be used: only a new sign-in helps. */
export function isCorrupt(error: unknown): error is FittingsError {
  return error instanceof FittingsError && error.code === 'STORE_CORRUPT';
}

/** For `catch`, where what can't be used is about to be replaced. */
export function absentWhenCorrupt(error: unknown): undefined {
  if (!isCorrupt(error)) throw error;
}

/** The same store for what can be made anew at any time, such as a registration. */
export function forReplaceable(store: TokenStore): TokenStore {
  return {
    get: (key): Promise<StoredValue | undefined> => store.get(key).catch(absentWhenCorrupt),
    set: (key, value) => store.set(key, value),
    delete: (key) => store.delete(key),
    withLock: (key, work) => store.withLock(key, work),
  };
}
