import { join } from 'node:path';
import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { ownFolder } from '@mcp-fittings/toolbox/files';
import type { OpenHostOptions } from '../options.js';

/**
 * Opens the chosen store and never another one: if it does not work, nothing is stored elsewhere. What accesses it is imported
 * when it is first used.
 */
export function openStore({
  store = 'keychain',
  home,
  plaintextConsent: consent,
}: Pick<OpenHostOptions, 'store' | 'plaintextConsent'> & { readonly home: string }): {
  readonly store: TokenStore;
  readonly close: () => Promise<void>;
} {
  if (typeof store === 'object') return { store, close: async () => undefined };
  const open = async (): Promise<TokenStore & Partial<AsyncDisposable>> => {
    if (store === 'keychain') return (await import('@mcp-fittings/store-keychain')).keychainStore();
    const { fileStore, memoryStore } = await import('@mcp-fittings/store-file');
    return store === 'memory'
      ? memoryStore()
      : fileStore({ path: join(ownFolder('state', home), 'credentials'), consent });
  };
  let opened: ReturnType<typeof open> | undefined;
  const opening = (): ReturnType<typeof open> => (opened ??= open());
  return {
    store: {
      get: async (key) => (await opening()).get(key),
      set: async (key, value) => (await opening()).set(key, value),
      delete: async (key) => (await opening()).delete(key),
      withLock: async (key, work) => (await opening()).withLock(key, work),
    },
    close: async () => (await opened)?.[Symbol.asyncDispose]?.(),
  };
}

/**
 * Wraps a store so that reading from an unavailable one finds nothing. Servers that need no sign-in then work without
 * it. `onUnavailable` is called once. Writing and locking still fail: nothing is stored elsewhere.
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
