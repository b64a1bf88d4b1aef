import { chmod, chown, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileCache } from '@mcp-fittings/host/file-cache';

const SOMEBODY_ELSE = 12_345;
const isRoot = process.getuid?.() === 0;

describe('a file cache', () => {
  let top: string;
  let folder: string;
  let file: string;
  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), 'cache-'));
    folder = join(top, 'cache');
    await fileCache({ folder }).set('key', { from: 'us' });
    file = join(folder, (await readdir(folder))[0] ?? '');
  });
  afterEach(() => rm(top, { recursive: true }));

  const cache = () => fileCache({ folder });

  it('keeps a value', async () => {
    expect(await cache().get('key')).toEqual({ from: 'us' });
    await cache().delete('key');
    expect(await cache().get('key')).toBeUndefined();
  });

  it('does not write a value again that it has', async () => {
    const before = await stat(file);
    await cache().set('key', { from: 'us' });
    expect((await stat(file)).ino).toBe(before.ino);
    await cache().set('key', { from: 'them' });
    expect(await cache().get('key')).toEqual({ from: 'them' });
  });

  it.each([0o660, 0o606, 0o644, 0o640, 0o666])('does not take a file of mode %o', async (mode) => {
    await chmod(file, mode);
    expect(await cache().get('key')).toBeUndefined();
  });

  it.each([0o770, 0o755, 0o777, 0o1777])('takes and writes nothing in a folder of mode %o', async (mode) => {
    await chmod(folder, mode);
    expect(await cache().get('key')).toBeUndefined();
    await expect(cache().set('key', {})).rejects.toMatchObject({ code: 'STORE_INSECURE' });
  });

  it('reads and writes nothing where others can replace the folder', async () => {
    await chmod(top, 0o777);
    expect(await cache().get('key')).toBeUndefined();
    await expect(cache().set('key', {})).rejects.toMatchObject({ code: 'STORE_INSECURE' });
  });

  it('follows no link, neither as the folder nor as a file', async () => {
    await rename(file, join(top, 'elsewhere'));
    await symlink(join(top, 'elsewhere'), file);
    expect(await cache().get('key')).toBeUndefined();
    const linked = join(top, 'linked');
    await symlink(folder, linked);
    expect(await fileCache({ folder: linked }).get('key')).toBeUndefined();
  });

  it('reads no more than it would write', async () => {
    await writeFile(file, JSON.stringify('x'.repeat(2000)), { mode: 0o600 });
    expect(await fileCache({ folder, maxBytes: 1000 }).get('key')).toBeUndefined();
    expect(await cache().get('key')).toHaveLength(2000);
  });

  if (isRoot) {
    it('does not read files of another user', async () => {
      await chown(file, SOMEBODY_ELSE, SOMEBODY_ELSE);
      expect(await cache().get('key')).toBeUndefined();
      await chown(file, 0, 0);
      await chown(folder, SOMEBODY_ELSE, SOMEBODY_ELSE);
      expect(await cache().get('key')).toBeUndefined();
    });
  }
});
