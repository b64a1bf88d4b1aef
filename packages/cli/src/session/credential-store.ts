import { homedir } from 'node:os';
import { join } from 'node:path';
import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
import type { KeychainStore } from '@mcp-fittings/store-keychain';
import type { ConfiguredHostOptions } from './configured-host.js';

/** Opens the chosen store and never another one. If it does not work, the command fails. */
export function openStore(options: Pick<ConfiguredHostOptions, 'store' | 'home' | 'plaintextConsent'>): {
  readonly store: TokenStore;
  readonly close: () => Promise<void>;
} {
  const nothing = async (): Promise<void> => undefined;
  switch (options.store) {
    case 'memory':
      return { store: memoryStore(), close: nothing };
    case 'file': {
      const path = credentialFolder(options.home ?? homedir(), process.platform);
      return { store: fileStore({ path, consent: options.plaintextConsent }), close: nothing };
    }
    case 'keychain':
    case undefined:
      return openKeychain();
  }
}

/** Loads what accesses the keychain when it is first used. */
function openKeychain(): ReturnType<typeof openStore> {
  let opened: Promise<KeychainStore> | undefined;
  const store = (): Promise<KeychainStore> =>
    (opened ??= import('@mcp-fittings/store-keychain').then(({ keychainStore }) => keychainStore()));
  return {
    store: {
      get: async (key) => (await store()).get(key),
      set: async (key, value) => (await store()).set(key, value),
      delete: async (key) => (await store()).delete(key),
      withLock: async (key, work) => (await store()).withLock(key, work),
    },
    close: async () => (await opened)?.[Symbol.asyncDispose](),
  };
}

/** No environment variable changes this path, because a project's `.env` could set one. */
function credentialFolder(home: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin')
    return join(home, 'Library', 'Application Support', 'mcp-fittings', 'credentials');
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings', 'credentials');
  return join(home, '.local', 'state', 'mcp-fittings', 'credentials');
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
