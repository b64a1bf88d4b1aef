import { setTimeout as delay } from 'node:timers/promises';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backoffDelay, FittingsError } from '@mcp-fittings/client-core';
import { lock } from 'proper-lockfile';
import { shown } from '../text/visible-text.js';
import { replaceFile } from './replace-file.js';

/** A lock that was not renewed for so long belongs to a process that died, milliseconds. */
const STALE_MS = 10_000;
/** About half a minute of waiting in all. */
const ATTEMPTS = 80;

export interface FileLockOptions {
  /** Mode of a file that does not exist yet. */
  readonly mode: number;
  /** Mode of directories that do not exist yet. */
  readonly directoryMode: number;
}

/**
 * Runs `work` while no other process that asks here may write the file; `work` is given the function that writes it.
 * Rejects with `TIMEOUT` when another process holds the file for long, `CONFIG_READ_ONLY` when it can't be written.
 */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  let lost: Error | undefined;
  const release = await acquire(path, options, (error) => (lost = error));
  try {
    return await work(async (text) => {
      if (lost !== undefined) {
        throw new FittingsError('TIMEOUT', `The lock on ${shown(path)} was lost before it was written.`, {
          cause: lost,
        });
      }
      try {
        await replaceFile(path, text, options.mode);
      } catch (error) {
        throw readOnly(path, error);
      }
    });
  } finally {
    // The file is written or not by now; a lock that is gone already changes nothing.
    await release().catch(() => undefined);
  }
}

async function acquire(
  path: string,
  options: FileLockOptions,
  onCompromised: (error: Error) => void,
): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: options.directoryMode });
      return await lock(path, { realpath: false, stale: STALE_MS, onCompromised });
    } catch (error) {
      const held = error instanceof Error && 'code' in error && error.code === 'ELOCKED';
      if (!held) throw readOnly(path, error);
      if (attempt === ATTEMPTS) {
        throw new FittingsError('TIMEOUT', `Another process is writing ${shown(path)}.`, {
          cause: error,
          hint: `If no other process runs, remove the directory ${shown(path)}.lock.`,
        });
      }
    }
    await delay(backoffDelay(attempt, { initialMs: 10, maxMs: 500 }));
  }
}

function readOnly(path: string, cause: unknown): FittingsError {
  return new FittingsError('CONFIG_READ_ONLY', `${shown(path)} can't be written.`, { cause });
}
