import { join } from 'node:path';
import { keychainStore } from '@mcp-fittings/store-keychain';
import { describe, expect, it } from 'vitest';
import { runScript } from './support/script.js';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

describe.runIf(process.platform === 'win32')('Credential Manager', () => {
  it.each(['process', 'in-process'] as const)('keeps values of any size, isolation %s', async (isolation) => {
    await using temporary = await temporaryDirectory();
    const store = keychainStore({
      service: `fittings-test-${process.pid}`,
      isolation,
      lockDirectory: join(temporary.path, 'locks'),
    });
    expect(await store.status()).toMatchObject({ state: 'available' });
    // Longer than the 2560 bytes that one item holds.
    const large = { token: 'x'.repeat(5000) + '日'.repeat(2000) + '😀'.repeat(1300) };
    for (const value of [{ token: 'ü日本' }, large, { token: 'short' }]) {
      await store.set('key', value);
      expect(await store.get('key')).toEqual(value);
    }
    const count = async (): Promise<void> => {
      const value = (await store.get('count')) as { n: number } | undefined;
      await store.set('count', { n: (value?.n ?? 0) + 1 });
    };
    await Promise.all(Array.from({ length: 3 }, () => store.withLock('count', count)));
    expect(await store.get('count')).toEqual({ n: 3 });
    for (const key of ['key', 'count']) await store.delete(key);
    expect(await store.get('key')).toBeUndefined();
    await store.close();
  });

  it('lets a program end as soon as it has closed its store', async () => {
    await using temporary = await temporaryDirectory();
    const options = {
      service: `fittings-test-${process.pid}`,
      lockDirectory: join(temporary.path, 'locks'),
    };
    const { ended } = runScript(`
      import { keychainStore } from '@mcp-fittings/store-keychain';
      const store = keychainStore(${JSON.stringify(options)});
      await store.get('nothing');
      await store.close();`);
    expect(await ended).toEqual({ status: 0, errors: '' });
  });
});
