import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '../errors/system-errors.js';
import { createDirectory } from './create-directory.js';

/** Creates the directory with mode 0700 if it is missing, then checks it like {@link checkPrivateDirectory}. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  try {
    await createDirectory(path, 0o700);
  } catch (error) {
    // Something other than a directory is in the way: the check says what, unless it is further up.
    if (systemErrorCode(error) !== 'EEXIST' || !(await checkPrivateDirectory(path))) throw error;
  }
  await checkPrivateDirectory(path);
}

/**
 * Resolves with whether the directory exists. Rejects with `STORE_INSECURE` if it is a link or not a directory, if other users
 * have access to it, or if they could replace it.
 */
export async function checkPrivateDirectory(path: string): Promise<boolean> {
  // Each call takes a few microseconds, and a tenth of a millisecond of the thread pool.
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const elsewhere = 'Use a directory that no other program uses.';
  if (stats.isSymbolicLink()) throw insecure(path, 'is a symbolic link', elsewhere);
  if (!stats.isDirectory()) throw insecure(path, 'is not a directory', elsewhere);
  assertPrivate(path, stats);
  assertKeepsItsPlace(path);
  return true;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;
/** The limit of Linux. */
const MAX_LINKS = 40;

/**
 * Throws `STORE_INSECURE` if another user could replace a file or a directory: checks each directory on the path, up to the root. It has to belong to this user or to root, and must not be writable by a
 * group or by everyone, who could rename its entries; with the sticky bit, as in /tmp, only the owner can. These are the rules
 * of OpenSSH's `StrictModes`. They apply to a link on the path too, and to the path that it leads to.
 */
export function assertKeepsItsPlace(path: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const trusted = (uid: number): boolean => uid === user || uid === ROOT;
  let at: string = sep;
  let rest = namesIn(resolve(path));
  for (let links = 0; rest.length > 0;) {
    const { mode, uid } = lstatSync(at);
    if (!trusted(uid)) throw replaceable(path, at, `belongs to user ${uid}`);
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) {
      throw replaceable(path, at, `has mode ${(mode & 0o7777).toString(8).padStart(4, '0')}`);
    }
    const [name = '', ...others] = rest;
    const next = join(at, name);
    const stats = lstatSync(next);
    if (!stats.isSymbolicLink()) {
      at = next;
      rest = others;
      continue;
    }
    if (!trusted(stats.uid)) throw replaceable(path, next, `is a link of user ${stats.uid}`);
    if (++links > MAX_LINKS)
      throw insecure(path, 'leads through too many symbolic links', 'Choose another path.');
    rest = [...namesIn(resolve(at, readlinkSync(next))), ...others];
    at = sep;
  }
}

function namesIn(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== '');
}

function replaceable(path: string, parent: string, fact: string): Error {
  return insecure(
    parent,
    `${fact}, so another user could replace ${path}`,
    `Choose a path in a directory that only you can write to, or run: chmod go-w ${JSON.stringify(parent)}.`,
  );
}

const OTHERS = 0o077;

/**
 * Throws `STORE_INSECURE` for what another user owns, can read or can write. Windows has neither these modes nor owners: there
 * the access rules of the user profile protect the file.
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
    const hint = `Run: chmod go= ${JSON.stringify(path)}. Other users may have read the credentials in it, so sign in again.`;
    throw insecure(path, `has mode ${mode}, so other users can access it`, hint);
  }
}

export function insecure(path: string, fact: string, hint: string): Error {
  return new FittingsError('STORE_INSECURE', `${path} ${fact}.`, { hint, details: { path } });
}
