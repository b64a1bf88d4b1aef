import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';

/**
 * A store that can't be reached holds nothing that could be read, so that servers which need no sign-in work without it;
 * the caller is told, once. Whatever would write, or has to be sure, fails as before: nothing is kept anywhere else.
 */
export function storeForReading(
  store: TokenStore,
  onUnavailable: (error: FittingsError) => void,
): TokenStore {
  let told = false;
  return {
    async get(key) {
      try {
        return await store.get(key);
      } catch (error) {
        if (!(error instanceof FittingsError) || !UNREACHABLE.has(error.code)) throw error;
        if (!told) onUnavailable(error);
        told = true;
        return undefined;
      }
    },
    set: async (key, value) => store.set(key, value),
    delete: async (key) => store.delete(key),
    withLock: async (key, work) => store.withLock(key, work),
  };
}

const UNREACHABLE: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'STORE_LOCKED']);
