import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { keychainStore, type KeychainStoreOptions } from '@mcp-fittings/store-keychain';
// How a Secret Service is started is known there.
import { describeWithSecretService } from '../../store-keychain/test/support/describe-with-secret-service.js';
import { startSecretService, type SecretService } from '../../store-keychain/test/support/secret-service.js';
import { temporaryDirectory } from '../../store-keychain/test/support/temporary-directory.js';
import { fourProcesses, refreshes, ROUNDS } from './support/four-processes.js';
import { createWorld } from './support/world.js';

describeWithSecretService('four processes with one keychain, at a strictly rotating server', () => {
  let service: SecretService;
  beforeAll(async () => {
    service = await startSecretService('keyring');
    service.enter();
  });
  // A daemon that exits fails only the test in which it exits.
  afterEach(() => service.recover());
  afterAll(async () => {
    vi.unstubAllEnvs();
    await service[Symbol.asyncDispose]();
  });

  it.each<KeychainStoreOptions>([{}, { driver: '@github/keytar', layout: 'bundle' }])(
    `%j: 20 of 20 get through with one refresh, ${ROUNDS} times`,
    async (more) => {
      await using world = await createWorld({ accessTokenTtl: 86_400 });
      await using folder = await temporaryDirectory();
      const options = { ...more, lockDirectory: join(folder.path, 'locks'), timeoutMs: 20_000 };
      const store = keychainStore(options);
      try {
        await fourProcesses(world, store, { kind: 'keychain', options });
        expect(refreshes(world)).toBe(ROUNDS);
      } finally {
        await store[Symbol.asyncDispose]();
      }
    },
    240_000,
  );
});
