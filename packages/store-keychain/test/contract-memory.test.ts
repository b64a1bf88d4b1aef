import { join } from 'node:path';
import { keychainStore } from '@mcp-fittings/store-keychain';
import { tokenStoreSuite } from '@mcp-fittings/testkit/token-store';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { memoryKeytar } from './support/memory-keytar.js';
import { IN_PROCESS } from './support/real-service-suites.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

describe('a driver in memory', () => {
  let temporary: TemporaryDirectory;
  let stores = 0;
  beforeAll(async () => {
    temporary = await temporaryDirectory();
  });
  afterAll(() => temporary[Symbol.asyncDispose]());

  for (const layout of ['entries', 'bundle'] as const) {
    tokenStoreSuite(
      { describe, it },
      {
        name: `a given keytar, layout ${layout}, in parts as by default`,
        capabilities: IN_PROCESS,
        async setup() {
          const lockDirectory = join(temporary.path, String(++stores));
          const options = { layout, driver: memoryKeytar(), lockDirectory, chunkCharacters: 1200 };
          return {
            store: keychainStore(options),
            sibling: keychainStore(options),
            teardown: async () => undefined,
          };
        },
      },
    );
  }
});
