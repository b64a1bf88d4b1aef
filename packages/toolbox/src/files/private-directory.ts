import { lstatSync, type Stats } from 'node:fs';
import { FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '../errors/system-errors.js';
import { createDirectory } from './create-directory.js';
import { findReplaceable } from './find-replaceable.js';

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

/** Throws `STORE_INSECURE` if another user could replace a file or a directory, see {@link findReplaceable}. */
export function assertKeepsItsPlace(path: string): void {
  const found = findReplaceable(path);
  if (found === undefined) return;
  const { at, fact } = found;
  throw insecure(
    at,
    `${fact}, so another user could replace ${path}`,
    `Choose a path in a directory that only you can write to, or run: chmod go-w ${JSON.stringify(at)}.`,
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
