// One session bus for the whole file: the native libraries of a process remember the first one that they connect to.
import { join } from 'node:path';
import { keychainStore, type KeychainStore, type KeychainStoreOptions } from '@mcp-fittings/store-keychain';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { describeWithSecretService } from './support/describe-with-secret-service.js';
import { helpersOf } from './support/processes.js';
import { startSecretService, type SecretService } from './support/secret-service.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const VALUE = { accessToken: 'a', refreshToken: 'r' };

let temporary: TemporaryDirectory;
beforeEach(async () => {
  temporary = await temporaryDirectory();
});
afterEach(() => temporary[Symbol.asyncDispose]());

function opened(options: KeychainStoreOptions): KeychainStore {
  return keychainStore({ lockDirectory: join(temporary.path, 'locks'), timeoutMs: 20_000, ...options });
}

describeWithSecretService('on a real Secret Service', () => {
  let service: SecretService;
  beforeAll(async () => {
    service = await startSecretService('keyring');
    service.enter();
  });
  afterEach(() => service.assertAlive());
  afterAll(async () => {
    vi.unstubAllEnvs();
    await service[Symbol.asyncDispose]();
  });

  it('shares items with a program that uses keytar directly: by name, by path, as an object', async () => {
    // Loaded only here: without libsecret it throws.
    const { default: keytar } = await import('@github/keytar');
    const named = opened({ driver: '@github/keytar', isolation: 'in-process' });
    const byPath = opened({ driver: { module: new URL(import.meta.resolve('@github/keytar')) } });
    const given = opened({ driver: keytar });
    await byPath.set('key', VALUE);
    expect(await named.get('key')).toEqual(VALUE);
    expect(await given.get('key')).toEqual(VALUE);
    await given.delete('key');
    expect(await byPath.get('key')).toBeUndefined();
    expect(await keytar.findCredentials('mcp-fittings')).toEqual([]);
    await byPath[Symbol.asyncDispose]();
  });

  it('works in this process, without a helper, when the host asks for it', async () => {
    const store = opened({ isolation: 'in-process' });
    await store.set('key', VALUE);
    expect(await store.get('key')).toEqual(VALUE);
    expect(await store.status()).toMatchObject({ state: 'available' });
    await store.delete('key');
    expect(await store.get('key')).toBeUndefined();
    expect(helpersOf(process.pid)).toEqual([]);
  });
});
