import { readFileSync, statSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { createDirectory, replaceFile } from '@mcp-fittings/toolbox/files';
import { backoffDelay, sleep, systemClock } from '@mcp-fittings/toolbox/timing';
import { lock } from 'proper-lockfile';
import { printable } from '../display-text.js';

/**
 * A lock that has not been renewed for this long belongs to a process that exited, in milliseconds. The folder names no owner, because
 * Claude Code locks the same file in this way: so a write waits this long after another writer was killed.
 */
const STALE_MS = 10_000;
/**
 * Milliseconds that a writer waits for the lock while no other writer changes the file: longer than a write waits, on Windows, for a
 * program that has the file open.
 */
const PATIENCE_MS = 75_000;
/** Most times that a write starts because the file changed while it was prepared. */
const MAX_TRIES = 20;

export interface FileLockOptions {
  /** Mode of a file that does not exist yet. */
  readonly mode: number;
  /** Mode of directories that do not exist yet. */
  readonly directoryMode: number;
  /**
   * Path of the lock, a folder. Default: the path of the file followed by `.lock`, where Claude Code locks its file too. Choose a
   * path outside of untrusted folders, which could bring a lock that is never released.
   */
  readonly lockPath?: string | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** Replaces the file with a text that was made from its content `madeFrom`; `undefined` if there was no file. */
export type WriteLocked = (text: string, madeFrom: string | undefined) => Promise<void>;

/** The lock was lost, or the file has changed since the new text was prepared. */
class Superseded extends Error {}

/**
 * Runs `work` while it holds the lock of a file, and passes it the function that writes the file. A suspended process can
 * outlive its lock, and editors take none. So the lock and the content are checked again right before the file is replaced;
 * if either has changed, `work` runs again on the present content.
 *
 * Rejects with `TIMEOUT` if another process holds the lock for more than a minute without writing or, on Windows, has the file
 * open, or if the file keeps changing; with `CONFIG_READ_ONLY` if the file may not be written, `CONFIG_WRITE_FAILED` if the disk
 * is full or fails, and `CONFIG_INVALID` if the path of the lock is taken by something else.
 */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  work: (write: WriteLocked) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lockedOnce(path, options, work);
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
      if (attempt === MAX_TRIES) {
        throw new FittingsError(
          'TIMEOUT',
          `${printable(path)} changed every time it was about to be written.`,
          {
            cause: error,
          },
        );
      }
    }
  }
}

async function lockedOnce<T>(
  path: string,
  options: FileLockOptions,
  work: (write: WriteLocked) => Promise<T>,
): Promise<T> {
  const lockPath = options.lockPath ?? `${path}.lock`;
  let lost = false;
  const release = await acquire(path, lockPath, options, () => (lost = true));
  const mine = inodeOf(lockPath);
  const check = (madeFrom: string | undefined): void => {
    if (lost || inodeOf(lockPath) !== mine || isStale(lockPath)) throw new Superseded('The lock was lost.');
    if (contentOf(path) !== madeFrom) throw new Superseded('The file has changed.');
  };
  try {
    return await work(async (text, madeFrom) => {
      try {
        await replaceFile(path, text, { mode: options.mode, beforeCommit: () => check(madeFrom) });
      } catch (error) {
        if (error instanceof Superseded) throw error;
        throw writeError(path, error);
      }
    });
  } finally {
    // A lock with another inode belongs to another process and is not released here.
    if (inodeOf(lockPath) === mine) await release().catch(() => undefined);
  }
}

async function acquire(
  path: string,
  lockPath: string,
  options: FileLockOptions,
  onCompromised: (error: Error) => void,
): Promise<() => Promise<void>> {
  const { clock = systemClock } = options;
  let written: bigint | undefined;
  let waitingSince = clock.now();
  for (let attempt = 0; ; attempt++) {
    try {
      await createDirectory(dirname(path), options.directoryMode);
      await createDirectory(dirname(lockPath), options.directoryMode);
      return await lock(path, { realpath: false, stale: STALE_MS, lockfilePath: lockPath, onCompromised });
    } catch (error) {
      const held = systemErrorCode(error) === 'ELOCKED';
      if (!(await isLock(lockPath))) {
        throw new FittingsError(
          'CONFIG_INVALID',
          `Cannot lock ${printable(path)}: ${printable(lockPath)} exists and is not a lock.`,
          {
            cause: error,
            hint: 'Delete or rename it. It was not created by a process that uses the file.',
          },
        );
      }
      if (!held) throw writeError(path, error);
      const present = timeOf(path);
      if (present !== written) {
        written = present;
        waitingSince = clock.now();
      }
      if (clock.now() - waitingSince > PATIENCE_MS) {
        throw new FittingsError('TIMEOUT', `Another process is writing ${printable(path)}.`, {
          cause: error,
          hint: `If no other process is running, delete the directory ${printable(lockPath)}.`,
        });
      }
    }
    await sleep(backoffDelay(attempt, { initialMs: 10, maxMs: 500 }), { clock });
  }
}

/** Returns true if the path is free or can be a lock: an empty folder whose time is not in the future. */
async function isLock(lockPath: string): Promise<boolean> {
  try {
    const stats = await lstat(lockPath);
    if (!stats.isDirectory() || stats.mtimeMs > Date.now() + STALE_MS) return false;
    return (await readdir(lockPath)).length === 0;
  } catch {
    // It is gone, or its folder does not exist: the original error is reported.
    return true;
  }
}

function inodeOf(lockPath: string): bigint | undefined {
  return statSync(lockPath, { bigint: true, throwIfNoEntry: false })?.ino;
}

function timeOf(path: string): bigint | undefined {
  try {
    return statSync(path, { bigint: true }).mtimeNs;
  } catch {
    // There is no such file, or Windows does not let it be looked at while it is being replaced.
    return undefined;
  }
}

function isStale(lockPath: string): boolean {
  const renewed = statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs;
  return renewed === undefined || Date.now() - renewed > STALE_MS;
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** System errors that mean that this user cannot write to the path. */
const READ_ONLY: ReadonlySet<string> = new Set(
  'EACCES EPERM EROFS ENOTDIR EISDIR EEXIST ELOOP ENAMETOOLONG ENOENT'.split(' '),
);

/** Tells a missing permission (`CONFIG_READ_ONLY`) from a file in use (`TIMEOUT`) and a full or failing disk (`CONFIG_WRITE_FAILED`). */
export function writeError(path: string, cause: unknown): FittingsError {
  const code = systemErrorCode(cause) ?? '';
  if (READ_ONLY.has(code)) {
    return new FittingsError('CONFIG_READ_ONLY', `Cannot write ${printable(path)}: ${code}.`, { cause });
  }
  if (code === 'EBUSY') {
    const message = `Another program has ${printable(path)} open, so it could not be replaced.`;
    const hint = 'Close the file there, or exclude its folder from the virus scanner, and try again.';
    return new FittingsError('TIMEOUT', message, { cause, hint, kind: 'config' });
  }
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const reason = full ? (code === 'ENOSPC' ? 'the disk is full' : 'the disk quota is used up') : code;
  return new FittingsError(
    'CONFIG_WRITE_FAILED',
    `Could not write ${printable(path)}${reason === '' ? '' : `: ${reason}`}. The file is unchanged.`,
    { cause, hint: full ? 'Free some space and try again.' : undefined },
  );
}
