import { chmod, chown, lchown, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenStore } from '@mcp-fittings/client-core';
import { FileLocks } from '@mcp-fittings/toolbox/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bothStores } from './support/both-stores.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const SOMEBODY_ELSE = 12_345;
const isRoot = process.getuid?.() === 0;

describe.each(bothStores)('the parent directories of a %s store', (_, __, open) => {
  let temporary: TemporaryDirectory;
  let top: string;
  let path: string;
  let store: TokenStore;
  beforeEach(async () => {
    temporary = await temporaryDirectory();
    top = join(temporary.path, 'top');
    path = join(top, 'middle', 'store');
    store = open(path);
    await store.set('key', { token: 'old' });
  });
  afterEach(() => temporary[Symbol.asyncDispose]());

  const refuses = async (named: string): Promise<void> => {
    const refusal = { code: 'STORE_INSECURE', kind: 'auth', details: { path: named } };
    await expect(store.get('key')).rejects.toMatchObject(refusal);
    await expect(store.set('key', { token: 'new' })).rejects.toMatchObject(refusal);
    await expect(store.delete('key')).rejects.toMatchObject(refusal);
    await expect(store.withLock('key', async () => 'in')).rejects.toMatchObject(refusal);
  };

  it.each([0o720, 0o702, 0o2770])('is refused with mode %o, near or far', async (mode) => {
    for (const parent of [join(top, 'middle'), top]) {
      await chmod(parent, mode);
      await refuses(parent);
      await chmod(parent, 0o700);
    }
    expect(await store.get('key')).toEqual({ token: 'old' });
  });

  it.each([0o1777, 0o1770, 0o755])('are accepted with mode %o', async (mode) => {
    await chmod(top, mode);
    expect(await store.get('key')).toEqual({ token: 'old' });
  });

  it('are refused behind a link that another user can redirect, wherever it leads', async () => {
    const open_ = join(temporary.path, 'open');
    await mkdir(open_);
    await symlink(top, join(open_, 'link'));
    store = open(join(open_, 'link', 'middle', 'store'));
    expect(await store.get('key')).toEqual({ token: 'old' });
    await chmod(open_, 0o770);
    await refuses(open_);
    await chmod(open_, 0o700);
    await chmod(join(top, 'middle'), 0o770);
    await refuses(join(top, 'middle'));
  });

  it('the locks follow the same rule', async () => {
    await chmod(top, 0o770);
    const locks = new FileLocks({ directory: join(top, 'locks') });
    await expect(locks.run('x', async () => 'in')).rejects.toMatchObject({ code: 'STORE_INSECURE' });
  });

  if (isRoot) {
    it('are refused below a directory, and behind a link, of another user', async () => {
      await chown(top, SOMEBODY_ELSE, SOMEBODY_ELSE);
      await refuses(top);
      await chown(top, 0, (await stat(temporary.path)).gid);
      const sticky = join(temporary.path, 'sticky');
      await mkdir(sticky);
      await chmod(sticky, 0o1777);
      const turned = join(sticky, 'link');
      await symlink(top, turned);
      await lchown(turned, SOMEBODY_ELSE, SOMEBODY_ELSE);
      store = open(join(turned, 'middle', 'store'));
      await refuses(turned);
    });
  }
});
