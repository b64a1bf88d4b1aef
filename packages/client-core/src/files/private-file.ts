import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FittingsError } from '../errors/fittings-error.js';
import { systemErrorCode } from '../errors/system-errors.js';
import { assertPrivate, flushDirectory, insecure } from './private-directory.js';

/** A credential store never writes more: what is larger did not come from it. */
const MAX_FILE_BYTES = 1024 * 1024;
// Windows has neither of the last two, and takes the `undefined` for no bit.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * The text of a file that only this user can read; undefined where there is none. Rejects with STORE_INSECURE for anything
 * else, and with STORE_CORRUPT above `maxBytes`, default 1 MiB.
 */
export async function readPrivateFile(path: string, maxBytes = MAX_FILE_BYTES): Promise<string | undefined> {
  const handle = await openPlain(path);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw noPlainFile(path);
    assertPrivate(path, stats);
    if (stats.size > maxBytes) {
      throw new FittingsError('STORE_CORRUPT', `${path} is larger than anything that is stored.`, {
        details: { path },
      });
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

export interface WriteOptions {
  /** The last moment to stop: the new text is safely on the disk, the old one still in its place. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
}

/**
 * Replaces a file in a private directory as a whole, or not at all, and so that it lasts through a crash. Refuses to
 * replace what {@link readPrivateFile} would refuse to read.
 */
export async function writePrivateFile(
  directory: string,
  name: string,
  text: string,
  options: WriteOptions = {},
): Promise<void> {
  const path = join(directory, name);
  await assertReplaceable(path);
  const draft = join(directory, `${name}.${randomBytes(8).toString('hex')}${DRAFT}`);
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await options.beforeCommit?.();
    await renameFile(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
  await flushDirectory(directory);
}

/** Removes the file, whatever it is, and what a process that was killed while it wrote left of it. */
export async function removePrivateFile(directory: string, name: string): Promise<void> {
  const drafts = (await readdir(directory)).filter(
    (file) => file.startsWith(`${name}.`) && file.endsWith(DRAFT),
  );
  for (const file of [name, ...drafts]) {
    await unlink(join(directory, file)).catch((error: unknown) => {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    });
  }
  await flushDirectory(directory);
}

const DRAFT = '.draft';

/** A symbolic link (FreeBSD says EMLINK), and a socket. */
const NO_PLAIN_FILE = new Set<string | undefined>(['ELOOP', 'EMLINK', 'ENXIO']);

async function openPlain(path: string): Promise<FileHandle | undefined> {
  try {
    // Without O_NONBLOCK a pipe with nobody at its other end would be waited for.
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return undefined;
    throw NO_PLAIN_FILE.has(code) ? noPlainFile(path) : error;
  }
}

async function assertReplaceable(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });
  if (stats === undefined) return;
  if (!stats.isFile()) throw noPlainFile(path);
  assertPrivate(path, stats);
}

function noPlainFile(path: string): Error {
  return insecure(path, 'is a link, a pipe or something else that is no plain file', 'Remove it by hand.');
}

const TRIES = 10;
const PAUSE_MS = 20;
const HELD_OPEN = new Set<string | undefined>(['EPERM', 'EACCES', 'EBUSY']);

/** `rename`, patient with Windows, where a file that a reader or a virus scanner has open can't be moved just now. */
export async function renameFile(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (process.platform !== 'win32' || tries === TRIES || !HELD_OPEN.has(systemErrorCode(error)))
        throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}
