import { spawnSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSpillStore, memorySpillStore, type SpillStore, type SpillStoreLimits } from '../../src/spill.js';
import { referenceOf, spilling } from './support.js';

let folder = '';
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'fittings-spill-')), 'results');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

const put = (store: SpillStore, key: string, text: string, owner = 'o', ttlMs = 1_000): Promise<void> =>
  store.put(key, Buffer.from(text), { owner, ttlMs });
const textOf = async (store: SpillStore, key: string): Promise<string | undefined> => {
  const read = await store.get(key);
  return read === undefined ? undefined : Buffer.from(read).toString();
};
/** The files of all processes. */
async function files(): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe.each([
  ['memory', (limits: SpillStoreLimits) => memorySpillStore(limits)],
  ['files', (limits: SpillStoreLimits) => fileSpillStore({ folder, ...limits })],
])('limits of a store: %s', (_, create) => {
  it('returns an entry, and nothing of another', async () => {
    const store = create({});
    await put(store, 'key', 'abcdefg');
    expect(await textOf(store, 'key')).toBe('abcdefg');
    expect(await store.get('other')).toBeUndefined();
    await store.delete('key');
    await store.delete('other');
    expect(await store.get('key')).toBeUndefined();
    await store.close?.();
  });

  it('an entry expires by the clock, also without a further call', async () => {
    const clock = createManualClock();
    const store = create({ clock });
    await put(store, 'short', 'a', 'o', 1_000);
    await put(store, 'long', 'b', 'o', 200_000);
    await clock.advance(999);
    expect(await textOf(store, 'short')).toBe('a');
    await clock.advance(1);
    expect(await textOf(store, 'short')).toBeUndefined();
    expect(await textOf(store, 'long')).toBe('b');
    expect(clock.pending).toBe(1);
    await clock.advance(200_000);
    expect(clock.pending).toBe(0);
    expect(await textOf(store, 'long')).toBeUndefined();
    await store.close?.();
  });

  it('the oldest entry makes room for a new one, by bytes and by number', async () => {
    const store = create({ maxBytes: 10, maxEntries: 3 });
    await put(store, 'two', '12');
    await put(store, 'fill', '12345678');
    expect(await textOf(store, 'two')).toBe('12');
    for (const key of ['a', 'b', 'c']) await put(store, key, '123');
    await put(store, 'd', '1');
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => textOf(store, key)))).toEqual([
      undefined,
      '123',
      '123',
      '1',
    ]);
    await put(store, 'e', '12345678');
    expect(await Promise.all(['b', 'c', 'd', 'e'].map((key) => textOf(store, key)))).toEqual([
      undefined,
      undefined,
      '1',
      '12345678',
    ]);
    await put(store, 'whole', '1234567890');
    expect(await textOf(store, 'whole')).toBe('1234567890');
    await put(store, 'e', '12345678');
    await expect(put(store, 'f', '12345678901')).rejects.toMatchObject({
      code: 'SPILL_FAILED',
      message: expect.stringContaining('11 bytes'),
    });
    expect(await textOf(store, 'e')).toBe('12345678');
    await store.close?.();
  });

  it('who fills the store loses own entries, not those of others', async () => {
    const store = create({ maxBytes: 100 });
    await put(store, 'theirs', 'x'.repeat(10), 'quiet');
    for (let index = 0; index < 20; index++) await put(store, `mine${index}`, 'x'.repeat(30), 'busy');
    expect(await textOf(store, 'theirs')).toBe('x'.repeat(10));
    expect(await textOf(store, 'mine19')).toBe('x'.repeat(30));
    expect(await textOf(store, 'mine16')).toBeUndefined();
    await store.close?.();
  });

  it('stays within its limits when many write at once', async () => {
    const store = create({ maxBytes: 100 });
    await Promise.all(
      Array.from({ length: 20 }, (_unused, index) => put(store, `k${index}`, 'x'.repeat(30))),
    );
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_unused, index) => textOf(store, `k${index}`)),
    );
    expect(kept.filter((text) => text !== undefined)).toHaveLength(3);
    await store.close?.();
  });

  it.each([{ maxBytes: 0 }, { maxBytes: -1 }, { maxEntries: Number.NaN }])(
    'rejects the limits %j',
    (limits) => {
      expect(() => create(limits)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );

  it('closing removes everything', async () => {
    const clock = createManualClock();
    const store = create({ clock });
    await put(store, 'a', 'text');
    await store.close?.();
    expect(await textOf(store, 'a')).toBeUndefined();
    expect(clock.pending).toBe(0);
    // It can be used again.
    await put(store, 'b', 'text');
    expect(await textOf(store, 'b')).toBe('text');
    await store.close?.();
  });
});

describe('files', () => {
  it('have mode 0600 in folders of mode 0700, whatever the umask is', async () => {
    const before = process.umask(0);
    try {
      const store = fileSpillStore({ folder });
      await put(store, 'key', 'text');
      const [file = ''] = await files();
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      await store.close?.();
      expect(await readdir(folder)).toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  it('a folder that others can read is not used, and the error says why', async () => {
    await mkdir(folder);
    await chmod(folder, 0o755);
    const store = fileSpillStore({ folder });
    await expect(put(store, 'key', 'text')).rejects.toMatchObject({ code: 'STORE_INSECURE' });
    await chmod(folder, 0o700);
    await put(store, 'key', 'text');
    expect(await textOf(store, 'key')).toBe('text');
    await store.close?.();
  });

  it('what a killed process left is removed at the next start; that of a running one stays', async () => {
    const program = `
      const { fileSpillStore } = await import(${JSON.stringify(new URL('../../dist/spill.js', import.meta.url).href)});
      await fileSpillStore({ folder: process.argv[1] }).put('secret', Buffer.from('left'), { owner: 'o', ttlMs: 1e6 });
      process.kill(process.pid, 'SIGKILL');`;
    const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, folder], {
      encoding: 'utf8',
    });
    expect(signal, stderr).toBe('SIGKILL');
    expect(await files()).toHaveLength(1);
    await writeFile(join(folder, 'notes.txt'), 'not ours');
    const running = fileSpillStore({ folder });
    await put(running, 'own', 'text');

    await put(fileSpillStore({ folder }), 'another', 'text');
    expect(new Set((await files()).map((file) => file.split('/').at(-1)))).toEqual(
      new Set(['notes.txt', 'own', 'another']),
    );
    expect(await textOf(running, 'own')).toBe('text');
    await running.close?.();
  });

  it('an evicted, expired or deleted entry leaves no file', async () => {
    const clock = createManualClock();
    const store = fileSpillStore({ folder, clock, maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) await put(store, key, 'text');
    await expect.poll(files).toHaveLength(2);
    await store.delete('b');
    await expect.poll(files).toHaveLength(1);
    await clock.advance(1_000);
    await expect.poll(files).toHaveLength(0);
    await store.close?.();
  });

  it('never takes more space on the disk than it may, also while it writes', async () => {
    const store = fileSpillStore({ folder, maxBytes: 3_000_000 });
    let writing = true;
    const all = Promise.all(
      Array.from({ length: 20 }, (_, index) => put(store, `k${index}`, 'x'.repeat(1_000_000))),
    ).finally(() => (writing = false));
    const counts: number[] = [];
    while (writing) counts.push((await files().catch(() => [])).length);
    await all;
    expect(Math.max(...counts)).toBe(3);
    await store.close?.();
  });

  it.each([
    ['removed', (file: string) => unlink(file), 'was removed'],
    ['truncated', (file: string) => truncate(file, 2), 'was changed'],
    [
      'replaced by a link',
      async (file: string) => {
        await rename(file, `${file}.old`);
        await symlink(`${file}.old`, file);
      },
      'Could not read',
    ],
    [
      'replaced by a folder',
      async (file: string) => {
        await unlink(file);
        await mkdir(file);
      },
      'was changed',
    ],
  ])('a file that was %s is an error that says so', async (_, damage, message) => {
    const store = fileSpillStore({ folder });
    await put(store, 'key', 'some text');
    await damage((await files())[0] ?? '');
    await expect(store.get('key')).rejects.toMatchObject({
      code: 'SPILL_FAILED',
      message: expect.stringContaining(message),
    });
    await store.close?.();
  });

  it('a write that the system refuses leaves no file and says why', async () => {
    // The limit of the shell makes a write fail with EFBIG, as a full disk does with ENOSPC.
    const program = `
      const { fileSpillStore } = await import(${JSON.stringify(new URL('../../dist/spill.js', import.meta.url).href)});
      const store = fileSpillStore({ folder: process.argv[1] });
      const error = await store.put('key', Buffer.alloc(40 * 8192), { owner: 'o', ttlMs: 1e6 }).catch((caught) => caught);
      const kept = await store.get('key');
      const { readdirSync } = await import('node:fs');
      const files = readdirSync(process.argv[1], { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      console.log(JSON.stringify({ code: error.code, message: error.message, hint: error.hint, kept: kept ?? null, files: files.length }));`;
    const { stdout, stderr } = spawnSync(
      'bash',
      [
        '-c',
        'ulimit -f 64; exec "$@"',
        'bash',
        process.execPath,
        '--input-type=module',
        '-e',
        program,
        folder,
      ],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(stdout || stderr)).toEqual({
      code: 'SPILL_FAILED',
      message:
        'Could not write a result to a file. The file exceeds the size limit of the process or the file system. (EFBIG)',
      hint: expect.stringContaining('Free some space'),
      kept: null,
      files: 0,
    });
  });

  it('a result whose file was removed by someone else is an error for the model', async () => {
    const { big, read, spill } = spilling(
      { content: [{ type: 'text', text: 'x'.repeat(5_000) }] },
      { store: fileSpillStore({ folder }) },
    );
    const reference = referenceOf(await big());
    const [file = ''] = await files();
    // The name of the file says nothing about the reference.
    expect(file).not.toContain(reference.slice(2, 10));
    expect(await readFile(file, 'utf8')).toContain('x'.repeat(5_000));
    await unlink(file);
    const event = await read({ reference });
    expect(event).toMatchObject({ type: 'error', error: { code: 'SPILL_FAILED', retryable: false } });
    expect(event.rendering.text).toContain('Call the tool again');
    await spill.close();
  });
});
