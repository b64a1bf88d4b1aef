import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tokenStoreSuite, type TokenStoreFixture } from '@mcp-fittings/testkit/token-store';
import { memoryStore } from '@mcp-fittings/store-file';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { bundled } from '../../../scripts/bundled.mjs';
import { openStore } from './support/open-store.mjs';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const MAX_VALUE_BYTES = 64 * 1024;
const module = pathToFileURL(
  await bundled(fileURLToPath(new URL('./support/open-store.mjs', import.meta.url))),
);

tokenStoreSuite(
  { describe, it },
  {
    name: 'memory',
    capabilities: { maxValueBytes: MAX_VALUE_BYTES },
    setup: async () => ({ store: memoryStore(), teardown: async () => undefined }),
  },
);

for (const kind of ['file', 'key']) {
  tokenStoreSuite(
    { describe, it },
    {
      name: kind === 'file' ? 'file' : 'encrypted file with a key',
      capabilities: { shared: true, processes: true, losesLocks: true, maxValueBytes: MAX_VALUE_BYTES },
      async setup(): Promise<TokenStoreFixture> {
        const directory = await temporaryDirectory();
        const argument = JSON.stringify({ kind, path: join(directory.path, 'store') });
        return {
          store: openStore(argument),
          sibling: openStore(argument),
          module: { module, argument },
          teardown: () => directory[Symbol.asyncDispose](),
        };
      },
    },
  );
}

describe('stores that share one directory', () => {
  let directory: TemporaryDirectory;
  let argument: string;
  let stores: ReturnType<typeof openStore>[];
  beforeAll(async () => {
    directory = await temporaryDirectory();
    argument = JSON.stringify({ kind: 'passphrase', path: join(directory.path, 'store') });
    // Deriving a key takes a second, so the stores are shared and emptied after each case. What several processes do to each
    // other does not depend on where the key came from.
    stores = [openStore(argument), openStore(argument)];
  });
  afterAll(() => directory[Symbol.asyncDispose]());

  tokenStoreSuite(
    { describe, it },
    {
      name: 'encrypted file with a passphrase',
      capabilities: { shared: true, maxValueBytes: MAX_VALUE_BYTES },
      async setup() {
        const [store, sibling] = stores;
        if (store === undefined) throw new Error('beforeAll makes the stores');
        const { path } = JSON.parse(argument) as { path: string };
        return {
          store,
          sibling,
          teardown: () => removeEntries(path),
        };
      },
    },
  );
});

async function removeEntries(path: string): Promise<void> {
  const sealed = (await readdir(path).catch(() => [])).filter((file) => file.endsWith('.sealed'));
  await Promise.all(sealed.map((file) => rm(join(path, file))));
}
