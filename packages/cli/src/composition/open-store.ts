import { homedir } from 'node:os';
import { join } from 'node:path';
import { keychainStore } from '@mcp-fittings/store-keychain';
import type { TokenStore } from '@mcp-fittings/client-core';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
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
      const store = keychainStore();
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
