import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../store-error.js';
import { assertPrivate, insecure } from './ownership.js';

/** Makes the directory, mode 0700, where it is missing, then checks it like {@link checkPrivateDirectory}. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // Something that is no directory is in the way: the check says what.
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  });
  await checkPrivateDirectory(path);
}

/**
 * False where there is no such directory. STORE_INSECURE where it is a link or no directory, where others can get at
 * it, or where they could put another one in its place.
 */
export async function checkPrivateDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    return undefined;
  });
  if (stats === undefined) return false;
  const elsewhere = 'Use a directory that nothing else uses.';
  if (stats.isSymbolicLink()) throw insecure(path, 'is a symbolic link', elsewhere);
  if (!stats.isDirectory()) throw insecure(path, 'is no directory', elsewhere);
  assertPrivate(path, stats);
  await assertKeepsItsPlace(path);
  return true;
}

/** The entries of a directory last through a crash when the directory itself was flushed; Windows does so unasked. */
export async function flushDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/** In a directory that everybody may write to, without the sticky bit, anybody can rename what stands in it. */
async function assertKeepsItsPlace(path: string): Promise<void> {
  if (process.geteuid === undefined) return;
  let parent = dirname(await realpath(path));
  for (;;) {
    const { mode } = await stat(parent);
    if ((mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0) {
      throw insecure(
        parent,
        `is writable by everybody, so that ${path} could be replaced`,
        'Choose another path.',
      );
    }
    const next = dirname(parent);
    if (next === parent) return;
    parent = next;
  }
}
