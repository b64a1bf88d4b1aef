import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readlink } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { FittingsError } from '../errors/fittings-error.js';
import { systemErrorCode } from '../errors/system-errors.js';

/** Makes the directory, mode 0700, where it is missing, then checks it like {@link checkPrivateDirectory}. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // Something that is no directory is in the way: the check says what.
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  });
  await checkPrivateDirectory(path);
}

/**
 * False where there is no such directory. STORE_INSECURE where it is a link or no directory, where others can get at
 * it, or where they could put another one in its place.
 */
export async function checkPrivateDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
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

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;
/** Linux follows no more. */
const MAX_LINKS = 40;

/**
 * Each directory on the way, up to the root, has to belong to this user or to root, and must not be writable by a group or
 * by everybody: who may write to it can rename what stands in it. With the sticky bit, as in /tmp, only the owner can. The
 * rules of OpenSSH's `StrictModes`; a link on the way is held to them too, and so is the way to where it leads.
 */
async function assertKeepsItsPlace(path: string): Promise<void> {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const trusted = (uid: number): boolean => uid === user || uid === ROOT;
  let at: string = sep;
  let rest = namesIn(resolve(path));
  for (let links = 0; rest.length > 0;) {
    const { mode, uid } = await lstat(at);
    if (!trusted(uid)) throw replaceable(path, at, `belongs to user ${uid}`);
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) {
      throw replaceable(path, at, `has mode ${(mode & 0o7777).toString(8).padStart(4, '0')}`);
    }
    const [name = '', ...others] = rest;
    const next = join(at, name);
    const stats = await lstat(next);
    if (!stats.isSymbolicLink()) {
      at = next;
      rest = others;
      continue;
    }
    if (!trusted(stats.uid)) throw replaceable(path, next, `is a link of user ${stats.uid}`);
    if (++links > MAX_LINKS) throw insecure(path, 'leads through too many links', 'Choose another path.');
    rest = [...namesIn(resolve(at, await readlink(next))), ...others];
    at = sep;
  }
}

function namesIn(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== '');
}

function replaceable(path: string, parent: string, fact: string): Error {
  return insecure(
    parent,
    `${fact}, so that another user could replace ${path}`,
    `Choose a path below directories of your own, or run: chmod go-w ${JSON.stringify(parent)}.`,
  );
}

const OTHERS = 0o077;

/**
 * Refuses, with STORE_INSECURE, what another user owns, may read or may write. Windows has neither these modes nor
 * owners: there the profile's own access rules protect the file.
 */
export function assertPrivate(path: string, stats: Stats): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (stats.uid !== user) {
    throw insecure(
      path,
      `belongs to user ${stats.uid}, not to user ${user}`,
      'Remove it, or use another path.',
    );
  }
  if ((stats.mode & OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    const hint = `Run: chmod go= ${JSON.stringify(path)}. Whoever could read it may have the credentials in it: sign in again.`;
    throw insecure(path, `has mode ${mode}, so that other users can get at it`, hint);
  }
}

export function insecure(path: string, fact: string, hint: string): Error {
  return new FittingsError('STORE_INSECURE', `${path} ${fact}.`, { hint, details: { path } });
}
