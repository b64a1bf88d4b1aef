import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenStore } from '@mcp-fittings/client-core';
import { encryptedFileStore } from '@mcp-fittings/store-file';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from './support/world.js';

describe('a stored token that cannot be read any more', () => {
  let world: World;
  let path: string;
  let store: TokenStore;
  beforeEach(async () => {
    world = await createWorld();
    path = await mkdtemp(join(tmpdir(), 'auth-oauth-'));
    const key = { id: 'test', bytes: randomBytes(32) };
    store = encryptedFileStore({ path: join(path, 'store'), key: () => key });
    await world.use(world.provider({ store }));
    await damage();
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await rm(path, { recursive: true });
  });

  const request = () => ({ url: new URL(world.resource.url), method: 'POST' });
  const files = async (): Promise<readonly string[]> =>
    (await readdir(join(path, 'store'))).filter((name) => name.endsWith('.sealed'));
  const damage = async (): Promise<void> => {
    for (const name of await files()) {
      const file = join(path, 'store', name);
      await writeFile(file, (await readFile(file, 'utf8')).replace('"sealed":"', '"sealed":"AAAA'));
    }
  };

  it('requires a sign-in and says why; deletes nothing, and the sign-in replaces it', async () => {
    const provider = world.provider({ store });
    const before = await files();
    await expect(provider.headers(request())).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
      message: expect.stringContaining('stored credential could not be decrypted'),
      cause: { code: 'STORE_CORRUPT' },
    });
    expect(await files()).toEqual(before);
    await provider.signIn?.({});
    expect((await world.use(world.provider({ store, interaction: undefined }))).status).toBe(200);
  });

  it('is deleted by signing out', async () => {
    const provider = world.provider({ store });
    await provider.signOut?.();
    expect(await provider.headers(request())).toEqual({});
  });
});
