import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fileRecords } from '../src/file-records.js';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const WORKER = fileURLToPath(new URL('support/record-worker.mjs', import.meta.url));

describe('records in private files', () => {
  it('keeps records of any size up to the limit, in files that only this user can read', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'pins');
    const store = await fileRecords({ path });
    expect(store.read('a')).toBeUndefined();
    const value = { text: 'x'.repeat(200_000), list: [1, null], ['__proto__']: { x: 1 } };
    await store.change('a', (before) => (before === undefined ? value : {}));
    expect(store.read('a')).toEqual(value);
    expect((await fileRecords({ path })).read('a')).toEqual(value);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    const files = (await readdir(path)).filter((file) => file.endsWith('.json'));
    expect(files).toHaveLength(1);
    expect((await stat(join(path, files[0] ?? ''))).mode & 0o777).toBe(0o600);
    const small = await fileRecords({ path, maxBytes: 100 });
    await expect(small.change('b', () => value)).rejects.toMatchObject({ code: 'STORE_VALUE_INVALID' });
    expect(() => small.read('a')).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
  });

  it('returns the same object as long as the file is the same, and sees what another process wrote', async () => {
    await using directory = await temporaryDirectory();
    const { path } = directory;
    const [one, two] = await Promise.all([fileRecords({ path }), fileRecords({ path })]);
    await one.change('a', () => ({ n: 1 }));
    expect(two.read('a')).toBe(two.read('a'));
    await one.change('a', () => ({ n: 2 }));
    expect(two.read('a')).toEqual({ n: 2 });
    await one.change('a', () => undefined);
    expect(two.read('a')).toEqual({ n: 2 });
    expect(await two.list()).toEqual([{ key: 'a', value: { n: 2 } }]);
    await one.remove('a');
    await one.remove('a');
    expect(two.read('a')).toBeUndefined();
    expect(await two.list()).toEqual([]);
  });

  it('loses no change of several processes', async () => {
    await using directory = await temporaryDirectory();
    const { path } = directory;
    const names = ['one', 'two', 'three', 'four'];
    const codes = await Promise.all(
      names.map(async (name) => {
        const [code] = await once(
          spawn(process.execPath, [WORKER, path, name, '15'], { stdio: 'inherit' }),
          'close',
        );
        return code as number;
      }),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    const store = await fileRecords({ path });
    expect(store.read('shared')).toEqual({ one: 15, two: 15, three: 15, four: 15 });
    expect((await readdir(path)).filter((file) => file.endsWith('.draft'))).toEqual([]);
  });

  it.each([
    ['{}'],
    ['{"v":1,"key":"other","value":{}}'],
    ['{"v":2,"key":"a","value":{}}'],
    ['{"v":1,"key":"a","val'],
  ])('does not take a file that is damaged (%j) for a record that is missing', async (text) => {
    await using directory = await temporaryDirectory();
    const { path } = directory;
    const store = await fileRecords({ path });
    await store.change('a', () => ({ n: 1 }));
    const [file = ''] = (await readdir(path)).filter((name) => name.endsWith('.json'));
    await writeFile(join(path, file), text);
    expect(() => store.read('a')).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
    await expect(store.change('a', () => ({ n: 2 }))).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(await readFile(join(path, file), 'utf8')).toBe(text);
    await store.remove('a');
    expect(store.read('a')).toBeUndefined();
  });

  it('refuses a directory and a file that other users could read or replace', async () => {
    await using directory = await temporaryDirectory();
    const root = directory.path;
    const path = join(root, 'open');
    await mkdir(path, { mode: 0o755 });
    await expect(fileRecords({ path })).rejects.toMatchObject({ code: 'STORE_INSECURE' });
    await chmod(path, 0o700);
    const store = await fileRecords({ path });
    await store.change('a', () => ({ n: 1 }));
    const [file = ''] = (await readdir(path)).filter((name) => name.endsWith('.json'));
    await chmod(join(path, file), 0o644);
    expect(() => store.read('a')).toThrow(expect.objectContaining({ code: 'STORE_INSECURE' }));
    await symlink(path, join(root, 'link'));
    await expect(fileRecords({ path: join(root, 'link') })).rejects.toMatchObject({ code: 'STORE_INSECURE' });
    await expect(fileRecords({ path: '' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
