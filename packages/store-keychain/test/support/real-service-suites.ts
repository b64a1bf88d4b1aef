import { join } from 'node:path';
import type { KeychainStore, KeychainStoreOptions } from '@mcp-fittings/store-keychain';
import {
  tokenStoreSuite,
  type TokenStoreCapabilities,
  type TokenStoreFixture,
} from '@mcp-fittings/testkit/token-store';
import { afterAll, afterEach, beforeAll, describe, it, vi } from 'vitest';
import { describeWithSecretService } from './describe-with-secret-service.js';
import { openStore } from './open-keychain.mjs';
import { startSecretService, type SecretService } from './secret-service.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../toolbox/test/support/temp-directory.js';

const module = new URL('./open-keychain.mjs', import.meta.url);
export const IN_PROCESS: TokenStoreCapabilities = { shared: true, maxValueBytes: 64 * 1024 };
const WITH_HELPERS: TokenStoreCapabilities = { ...IN_PROCESS, processes: true, losesLocks: true };
/** Large enough that a value is never split. */
export const WHOLE = 1_000_000;
// On a busy machine, what takes a second here takes many.
const deadlineMs = 60_000;

/**
 * Defines suites on one real Secret Service. The cases of a suite share the stores, which are empty before each one: starting
 * helpers for every case takes minutes.
 */
export function onRealService(
  define: (suiteWithHelpers: (name: string, options: KeychainStoreOptions) => void) => void,
): void {
  vi.setConfig({ testTimeout: 120_000 });
  describeWithSecretService('a real Secret Service', () => {
    let service: SecretService;
    let locks: TemporaryDirectory;
    const opened: KeychainStore[] = [];
    beforeAll(async () => {
      locks = await temporaryDirectory();
      service = await startSecretService('keyring');
      service.enter();
    });
    afterEach(() => service.assertAlive());
    afterAll(async () => {
      await Promise.all(opened.map((store) => store[Symbol.asyncDispose]()));
      vi.unstubAllEnvs();
      await service[Symbol.asyncDispose]();
      await locks[Symbol.asyncDispose]();
    });

    define((name, options) => {
      let stores: readonly [KeychainStore, KeychainStore] | undefined;
      const argument = (): string => {
        const lockDirectory = join(locks.path, encodeURIComponent(name));
        return JSON.stringify({ ...options, service: name, lockDirectory });
      };
      const setup = async (): Promise<TokenStoreFixture> => {
        if (stores === undefined) {
          stores = [openStore(argument()), openStore(argument())];
          opened.push(...stores);
        }
        const [store, sibling] = stores;
        const place = { module, argument: argument() };
        return { store, sibling, module: place, teardown: () => service.clear(name) };
      };
      tokenStoreSuite({ describe, it }, { name, capabilities: WITH_HELPERS, deadlineMs, setup });
    });
  });
}
