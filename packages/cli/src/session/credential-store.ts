import { homedir } from 'node:os';
import { join } from 'node:path';
import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
import { keychain } from '@mcp-fittings/store-keychain';
import type { SessionOptions } from './session.js';

/** The store that was asked for and no other: where it does not work, the command fails and says so. */
export function openStore(options: Pick<SessionOptions, 'store' | 'home' | 'plaintextConsent'>): {
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
    case undefined: {
      const store = keychain();
      return { store, close: async () => store[Symbol.asyncDispose]() };
    }
  }
}

/** No variable of the environment moves it, because a project's `.env` could set one. */
function credentialFolder(home: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin')
    return join(home, 'Library', 'Application Support', 'mcp-fittings', 'credentials');
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings', 'credentials');
  return join(home, '.local', 'state', 'mcp-fittings', 'credentials');
}

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
