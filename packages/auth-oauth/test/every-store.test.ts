import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { keychainStore } from '@mcp-fittings/store-keychain';
import type { TokenStore } from '@mcp-fittings/client-core';
import { encryptedFileStore, fileStore, memoryStore } from '@mcp-fittings/store-file';
import { memoryKeytar } from '../../store-keychain/test/support/memory-keytar.js';
import { storeCases, type StorePlace } from './support/store-cases.js';

const key = { id: 'test', bytes: new Uint8Array(32).fill(7) };

/** In a folder of its own. A function, so that each test creates what belongs to one program. */
const KINDS: Readonly<Record<string, (folder: string) => () => TokenStore>> = {
  memory() {
    const store = memoryStore();
    return () => store;
  },
  'a file': (folder) => () => fileStore({ path: folder, consent: () => true }),
  'an encrypted file': (folder) => () => encryptedFileStore({ path: folder, key: () => key }),
  'a keychain'(folder) {
    const driver = memoryKeytar();
    return () => keychainStore({ driver, lockDirectory: folder });
  },
};

describe.each(Object.entries(KINDS))('%s', (name, kind) => {
  storeCases(name, async (): Promise<StorePlace> => {
    const folder = await mkdtemp(join(tmpdir(), 'every-store-'));
    return {
      open: kind(join(folder, 'store')),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  });
});
