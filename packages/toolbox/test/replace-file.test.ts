import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceFile } from '@mcp-fittings/toolbox/files';
import { folderOfTest } from './support/temp-directory.js';
import { removeFile, renameFile, whenReleased } from '../src/files/rename-file.js';
import { manualClock } from './support/manual-clock.js';

const windows = process.platform === 'win32';

describe('replaceFile', () => {
  it('writes a new file for this user only, and keeps the mode of an old one', async () => {
    const path = join(await folderOfTest(), 'file.json');
    await replaceFile(path, 'one');
    expect(await readFile(path, 'utf8')).toBe('one');
    await replaceFile(path, 'two');
    expect(await readFile(path, 'utf8')).toBe('two');
  });

  it('leaves the old file and no draft if the check before it commits throws', async () => {
    const place = await folderOfTest();
    const path = join(place, 'file.json');
    await writeFile(path, 'old');
    const beforeCommit = (): void => {
      throw new Error('it has changed');
    };
    await expect(replaceFile(path, 'new', { beforeCommit })).rejects.toThrow('it has changed');
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(place)).toEqual(['file.json']);
  });

  it('rejects if there is no folder for the file', async () => {
    const place = await folderOfTest();
    await writeFile(join(place, 'file'), 'a file where a folder is needed');
    const code = windows ? 'ENOENT' : 'ENOTDIR';
    await expect(replaceFile(join(place, 'file', 'x.json'), 'x')).rejects.toMatchObject({ code });
    expect(await readdir(place)).toEqual(['file']);
  });

  it.skipIf(windows)('leaves only the old file if the system truncates the write', async () => {
    const place = await folderOfTest();
    const path = join(place, 'big.json');
    await writeFile(path, 'old');
    const module = new URL('../dist/files.js', import.meta.url).href;
    // The limit is in blocks of 1 KiB; with a handler the signal becomes an error of the write.
    const script = `
      process.on('SIGXFSZ', () => {});
      const { replaceFile } = await import(${JSON.stringify(module)});
      await replaceFile(${JSON.stringify(path)}, 'y'.repeat(100_000)).then(
        () => console.log('written'), (error) => console.log(error.code));`;
    const command = 'ulimit -f 64; exec "$0" --input-type=module -e "$1"';
    const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, script]);
    expect(stdout.trim()).toBe('EFBIG');
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(place)).toEqual(['big.json']);
  });

  it('replaces and removes a file that another program has open for a while', async () => {
    const path = join(await folderOfTest(), 'file.json');
    await writeFile(path, 'old');
    const replaceHeld = await holdOpen(path, 700);
    let checks = 0;
    await replaceFile(path, 'new', { beforeCommit: () => void checks++ });
    expect(await readFile(path, 'utf8')).toBe('new');
    // Each try on Windows is checked again; elsewhere the first one succeeds.
    if (windows) expect(checks).toBeGreaterThan(5);
    else expect(checks).toBe(1);
    await replaceHeld();
    const removeHeld = await holdOpen(path, 300);
    await removeFile(path);
    await removeHeld();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });
});

describe('whenReleased', () => {
  const refused = (code: string): Error => Object.assign(new Error(`${code}: rename`), { code });

  /** Tries to act on the path while a program holds it for so many tries, and lets the clock run. */
  async function attempt(
    path: string,
    failures: number,
    code = 'EPERM',
    platform: NodeJS.Platform = 'win32',
  ) {
    const clock = manualClock();
    const tries: number[] = [];
    const act = async (): Promise<void> => {
      tries.push(clock.now());
      if (tries.length <= failures) throw refused(code);
    };
    let settled = false;
    const done = whenReleased(path, act, { clock, platform }).finally(() => (settled = true));
    done.catch(() => undefined);
    for (; !settled; clock.pass(10)) await new Promise((resolve) => setImmediate(resolve));
    return { done, tries };
  }

  it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again after %s, with growing pauses', async (code) => {
    const { done, tries } = await attempt('C:\\absent.json', 4, code);
    await done;
    expect(tries).toEqual([0, 10, 30, 60, 100]);
  });

  it('gives up after 60 s, and says that a program has the file open', async () => {
    const { done, tries } = await attempt('C:\\absent.json', Infinity);
    await expect(done).rejects.toMatchObject({
      code: 'EBUSY',
      message: 'Another program has had C:\\absent.json open for 60 s.',
      cause: { code: 'EPERM' },
    });
    expect(tries.at(-1)).toBeGreaterThanOrEqual(60_000);
    expect(tries.at(-1)).toBeLessThan(60_200);
  });

  it('does not wait for other errors, on other systems, and for what stays refused', async () => {
    const place = await folderOfTest();
    const readOnly = join(place, 'read-only');
    await writeFile(readOnly, '');
    await chmod(readOnly, 0o444);
    onTestFinished(() => chmod(readOnly, 0o644));
    await mkdir(join(place, 'directory'));
    for (const [path, code, platform] of [
      ['C:\\absent.json', 'ENOSPC', 'win32'],
      ['/absent.json', 'EPERM', 'linux'],
      [readOnly, 'EPERM', 'win32'],
      [join(place, 'directory'), 'EPERM', 'win32'],
    ] as const) {
      const { done, tries } = await attempt(path, Infinity, code, platform);
      await expect(done).rejects.toMatchObject({ code });
      expect(tries).toEqual([0]);
    }
  });

  it('stops as soon as the check before a try throws', async () => {
    const place = await folderOfTest();
    const from = join(place, 'draft');
    await writeFile(from, 'new');
    const check = (): void => {
      throw new Error('the lock was lost');
    };
    await expect(renameFile(from, join(place, 'file'), check)).rejects.toThrow('the lock was lost');
    expect(await readdir(place)).toEqual(['draft']);
  });
});

/** Opens the file in another process, which closes it after some milliseconds. Returns a function that waits for its end. */
async function holdOpen(path: string, ms: number): Promise<() => Promise<void>> {
  const script = `require('node:fs').openSync(${JSON.stringify(path)}, 'r'); console.log('open'); setTimeout(() => {}, ${String(ms)})`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  return async () => void (await ended);
}
