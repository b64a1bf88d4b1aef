import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  link,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TokenStore } from '@mcp-fittings/client-core';
import { fileStore } from '@mcp-fittings/store-file';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bothStores } from './support/both-stores.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const SOMEBODY_ELSE = 12_345;
const isRoot = process.getuid?.() === 0;

let temporary: TemporaryDirectory;
let path: string;
beforeEach(async () => {
  temporary = await temporaryDirectory();
  path = join(temporary.path, 'a', 'store');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await temporary[Symbol.asyncDispose]();
});

for (const [name, suffix, open] of bothStores) {
  describe(`${name} store`, () => {
    let store: TokenStore;
    /** File of the entry under `key`, which is there. */
    let file: string;
    beforeEach(async () => {
      store = open(path);
      await store.set('key', { token: 'old' });
      const [entry] = (await readdir(path)).filter(
        (candidate) => candidate.endsWith(suffix) && candidate !== 'plaintext-consent.json',
      );
      file = join(path, entry ?? '');
    });

    const refuses = async (): Promise<void> => {
      const refusal = { code: 'STORE_INSECURE', kind: 'auth', retryable: false };
      await expect(store.get('key')).rejects.toMatchObject(refusal);
      await expect(store.set('key', { token: 'new' })).rejects.toMatchObject(refusal);
    };

    it('creates files with mode 0600 in directories with mode 0700, whatever the umask', async () => {
      const modeOf = async (of: string): Promise<string> => ((await stat(of)).mode & 0o777).toString(8);
      expect(await modeOf(path)).toBe('700');
      expect(await modeOf(join(temporary.path, 'a'))).toBe('700');
      await store.withLock('key', async () => undefined);
      expect(await modeOf(join(path, 'locks'))).toBe('700');
      const names = (await readdir(path)).filter((entry) => entry !== 'locks');
      for (const entry of names) expect(await modeOf(join(path, entry))).toBe('600');
    });

    it('refuses a symbolic link in place of the file, and leaves its target alone', async () => {
      const target = join(temporary.path, 'target');
      await rename(file, target);
      await symlink(target, file);
      const before = await readFile(target, 'utf8');
      await refuses();
      expect(await readFile(target, 'utf8')).toBe(before);
      await store.delete('key');
      expect(await readFile(target, 'utf8')).toBe(before);
      await store.set('key', { token: 'new' });
      expect(await store.get('key')).toEqual({ token: 'new' });
    });

    it.each([
      ['a dangling link', () => symlink(join(temporary.path, 'nowhere'), file)],
      ['a pipe, without waiting for it', async () => void execFileSync('mkfifo', ['-m', '600', file])],
      ['a directory', () => mkdir(file, { mode: 0o700 })],
    ])('refuses %s in place of the file', async (_, replace) => {
      await rm(file);
      await replace();
      await refuses();
    });

    it('refuses a socket in place of the file', async () => {
      await rm(file);
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(file, resolve));
      await refuses();
      await new Promise((resolve) => server.close(resolve));
    });

    for (const mode of [0o640, 0o604, 0o620, 0o602]) {
      it(`refuses a file of mode 0${mode.toString(8)}`, async () => {
        await chmod(file, mode);
        await refuses();
        await expect(store.get('key')).rejects.toThrow(`mode 0${mode.toString(8)}`);
      });
    }

    for (const mode of [0o755, 0o750, 0o1777]) {
      it(`refuses a directory of mode 0${mode.toString(8)}, for locks and deletion too`, async () => {
        await chmod(path, mode);
        await refuses();
        await expect(store.withLock('key', async () => 1)).rejects.toMatchObject({ code: 'STORE_INSECURE' });
        await expect(store.delete('key')).rejects.toMatchObject({ code: 'STORE_INSECURE' });
      });
    }

    it('refuses a symbolic link in place of the directory', async () => {
      await rename(path, join(temporary.path, 'moved'));
      await symlink(join(temporary.path, 'moved'), path);
      await refuses();
    });

    it('refuses a plain file in place of the directory', async () => {
      await rm(path, { recursive: true });
      await writeFile(path, '', { mode: 0o600 });
      await refuses();
    });

    it('refuses a file and a directory of another user', async () => {
      if (!isRoot) {
        // Only root can change the owner of a file. Running as another user has the same effect.
        vi.spyOn(process, 'geteuid').mockReturnValue(SOMEBODY_ELSE);
        return refuses();
      }
      await chown(file, SOMEBODY_ELSE, SOMEBODY_ELSE);
      await refuses();
      await chown(file, 0, 0);
      expect(await store.get('key')).toEqual({ token: 'old' });
      await chown(path, SOMEBODY_ELSE, SOMEBODY_ELSE);
      await refuses();
    });

    it('replaces the file instead of writing into it: an open handle or a link to the old one sees nothing new', async () => {
      const other = join(temporary.path, 'other-name');
      await link(file, other);
      const before = await readFile(other, 'utf8');
      await store.set('key', { token: 'new' });
      expect(await readFile(other, 'utf8')).toBe(before);
    });

    it('reports what it cannot read as unreadable, not as absent', async () => {
      for (const text of ['not json', '', '{"v":2}']) {
        await writeFile(file, text);
        await expect(store.get('key'), text).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      }
      await store.set('key', { token: 'new' });
      expect(await store.get('key')).toEqual({ token: 'new' });
    });

    it('does not read a file of 1 GB', async () => {
      execFileSync('truncate', ['-s', '1G', file]);
      await expect(store.get('key')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    });

    it('also deletes what a process killed during a write left behind', async () => {
      await writeFile(`${file}.0123456789abcdef.draft`, 'half a token', { mode: 0o600 });
      await store.delete('key');
      const names = await readdir(path);
      expect(names.filter((entry) => !['locks', 'plaintext-consent.json'].includes(entry))).toEqual([]);
    });

    it('leaves no draft behind when the write fails', async () => {
      await store.withLock('key', async () => {
        await rm(join(path, 'locks'), { recursive: true });
        await expect(store.set('key', { token: 'new' })).rejects.toMatchObject({ code: 'STORE_LOCK_LOST' });
      });
      expect((await readdir(path)).filter((entry) => entry.endsWith('.draft'))).toEqual([]);
      expect(await store.get('key')).toEqual({ token: 'old' });
    });

    it('reports the system error code when the disk fails, and keeps the cause', async () => {
      const bad = open(join(file, 'below-a-file'));
      await expect(bad.set('key', {})).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        details: { systemCode: 'ENOTDIR' },
        cause: { code: 'ENOTDIR' },
      });
    });
  });
}

it('requires a path', () => {
  expect(() => fileStore({ path: '' })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});
