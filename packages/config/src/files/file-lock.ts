import { readFileSync, statSync } from 'node:fs';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FittingsError } from '@mcp-fittings/client-core';
import { backoffDelay } from '@mcp-fittings/client-core/timing';
import { lock } from 'proper-lockfile';
import { shown } from '../text/visible-text.js';
import { replaceFile } from './replace-file.js';

/** A lock that was not renewed for so long belongs to a process that died, milliseconds. */
const STALE_MS = 10_000;
/** About half a minute of waiting in all. */
const ATTEMPTS = 80;
/** So often a write begins anew because the file changed while it was prepared. */
const MAX_TRIES = 20;

export interface FileLockOptions {
  /** Mode of a file that does not exist yet. */
  readonly mode: number;
  /** Mode of directories that do not exist yet. */
  readonly directoryMode: number;
  /**
   * The lock, a folder. Default: the path with `.lock` behind it. Give one outside of folders whose content came from a
   * stranger, who could bring a lock that is never released.
   */
  readonly lockPath?: string | undefined;
}

/** Replaces the file by a text that was made from what it held; `undefined` where there was no file. */
export type WriteLocked = (text: string, madeFrom: string | undefined) => Promise<void>;

/** The lease was lost, or the file is not what the new text was made from. */
class Superseded extends Error {}

/**
 * Runs `work` while no other process that asks here may write the file; `work` is given the function that writes it. A
 * process that was suspended can outlive its lock, and an editor asks for none: so right before the file is replaced the
 * lease and the content are compared once more, and when either has changed, `work` runs again on what is there now.
 *
 * Rejects with `TIMEOUT` when another process holds the file for long or it changes all the time, `CONFIG_READ_ONLY` when
 * it may not be written, `CONFIG_WRITE_FAILED` when the disk is full or fails, and `CONFIG_INVALID` when something that
 * is no lock stands in the place of the lock.
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
        throw new FittingsError('TIMEOUT', `${shown(path)} changed each time before it could be written.`, {
          cause: error,
        });
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
    if (contentOf(path) !== madeFrom) throw new Superseded('The file was changed meanwhile.');
  };
  try {
    return await work(async (text, madeFrom) => {
      try {
        await replaceFile(path, text, options.mode, () => check(madeFrom));
      } catch (error) {
        if (error instanceof Superseded) throw error;
        throw writeError(path, error);
      }
    });
  } finally {
    // A lock that was taken over belongs to another process; one that is gone already changes nothing.
    if (inodeOf(lockPath) === mine) await release().catch(() => undefined);
  }
}

async function acquire(
  path: string,
  lockPath: string,
  options: FileLockOptions,
  onCompromised: (error: Error) => void,
): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: options.directoryMode });
      await mkdir(dirname(lockPath), { recursive: true, mode: options.directoryMode });
      return await lock(path, { realpath: false, stale: STALE_MS, lockfilePath: lockPath, onCompromised });
    } catch (error) {
      const held = error instanceof Error && 'code' in error && error.code === 'ELOCKED';
      if (!(await isLock(lockPath))) {
        throw new FittingsError('CONFIG_INVALID', `${shown(lockPath)} stands where a lock belongs.`, {
          cause: error,
          hint: 'Remove or rename it. No process that uses the file made it.',
        });
      }
      if (!held) throw writeError(path, error);
      if (attempt === ATTEMPTS) {
        throw new FittingsError('TIMEOUT', `Another process is writing ${shown(path)}.`, {
          cause: error,
          hint: `If no other process runs, remove the directory ${shown(lockPath)}.`,
        });
      }
    }
    await delay(backoffDelay(attempt, { initialMs: 10, maxMs: 500 }));
  }
}

/** Whether what stands at the path, if anything, can be a lock: an empty folder of now or earlier. */
async function isLock(lockPath: string): Promise<boolean> {
  try {
    const stats = await lstat(lockPath);
    if (!stats.isDirectory() || stats.mtimeMs > Date.now() + STALE_MS) return false;
    return (await readdir(lockPath)).length === 0;
  } catch {
    // Gone by now, or its folder does not exist: the error says what it is.
    return true;
  }
}

function inodeOf(lockPath: string): bigint | undefined {
  return statSync(lockPath, { bigint: true, throwIfNoEntry: false })?.ino;
}

function isStale(lockPath: string): boolean {
  const renewed = statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs;
  return renewed === undefined || Date.now() - renewed > STALE_MS;
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Errors by which a system says that this user may not write there, or that nothing can be written there. */
const READ_ONLY: ReadonlySet<string> = new Set(
  'EACCES EPERM EROFS ENOTDIR EISDIR EEXIST ELOOP ENAMETOOLONG ENOENT'.split(' '),
);

/** A full disk is no lack of permission. */
export function writeError(path: string, cause: unknown): FittingsError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (READ_ONLY.has(code)) {
    return new FittingsError('CONFIG_READ_ONLY', `${shown(path)} cannot be written: ${code}.`, { cause });
  }
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const reason = full ? (code === 'ENOSPC' ? 'the disk is full' : 'the disk quota is used up') : code;
  return new FittingsError(
    'CONFIG_WRITE_FAILED',
    `${shown(path)} could not be written${reason === '' ? '' : `: ${reason}`}. It was left as it is.`,
    { cause, hint: full ? 'Free some space and try again.' : undefined },
  );
}
