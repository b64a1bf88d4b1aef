import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { encryptedFileStore, fileStore, memoryStore } from '@mcp-fittings/store-file';
import { FileLocks, entryName } from '@mcp-fittings/toolbox/stores';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const CANARY = 'canary-0815-never-show-this';

function shown(value: unknown): string {
  const json = value instanceof Error ? JSON.stringify(value) : '';
  return `${inspect(value, { depth: 20, showHidden: true, getters: true })}${json}${String(value)}`;
}

it('does not reveal a secret in a store, in its errors or in the errors of its callbacks', async () => {
  await using temporary = await temporaryDirectory();
  const path = join(temporary.path, 'store');
  const bytes = Buffer.from(CANARY.padEnd(32, '!').slice(0, 32));
  const stores = [
    memoryStore(),
    fileStore({ path: join(path, 'plain'), consent: () => true }),
    encryptedFileStore({ path: join(path, 'key'), key: () => ({ id: 'k', bytes }) }),
    encryptedFileStore({ path: join(path, 'passphrase'), passphrase: () => CANARY }),
  ];
  const value = { accessToken: CANARY, nested: { refreshToken: CANARY } };
  const cycle: Record<string, unknown> = { token: CANARY };
  cycle['self'] = cycle;
  const errors: unknown[] = [];
  const keep = (error: unknown): void => void errors.push(error);
  for (const store of stores) {
    await store.set('key', value);
    await store.set('key', cycle).catch(keep);
    await store.set('key', { token: CANARY.repeat(5000) }).catch(keep);
    await store.set('key', { token: CANARY, big: 1n }).catch(keep);
    expect(shown(store)).not.toContain(CANARY);
  }
  expect(errors).toHaveLength(3 * stores.length);
  // The text of a damaged file, with the secret in it, must not be in the error of the parser.
  await writeFile(join(path, 'plain', `${entryName('key')}.json`), `{"v":1,"value":{"token":"${CANARY}"`);
  await stores[1]?.get('key').catch(keep);
  await writeFile(join(path, 'plain', 'plaintext-consent.json'), CANARY);
  await fileStore({ path: join(path, 'plain') })
    .set('key', value)
    .catch(keep);
  await encryptedFileStore({ path: join(path, 'passphrase'), passphrase: () => `${CANARY}x` })
    .get('key')
    .catch(keep);
  expect(errors).toHaveLength(3 * stores.length + 3);
  for (const error of errors) expect(shown(error)).not.toContain(CANARY);
  expect(shown(new FileLocks({ directory: path }))).not.toContain(CANARY);
});
