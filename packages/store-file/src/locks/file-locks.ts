import type { Clock } from '@mcp-fittings/client-core';
import { ensurePrivateDirectory } from '@mcp-fittings/toolbox/files';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { entryName } from '../entry-name.js';
import { asStoreError, storeError } from '../store-error.js';
import { acquireLock } from './acquire-lock.js';
import { holdLock, type HeldLock } from './held-lock.js';
import { createKeyedMutex } from './keyed-mutex.js';
import { DEFAULT_STALE_MS, DEFAULT_WAIT_MS, type LockOptions } from './lock-options.js';

/** Options of {@link createFileLocks}. */
export interface FileLocksOptions extends LockOptions {
  /** Directory of the lock files, created with mode 0700 when missing. Processes that exclude each other use the same one. */
  readonly directory: string;
  /** Called before `directory` is created, once the caller is next in line. Use it to create the parent directory. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Named locks across the processes of a machine, and across machines that share the directory. */
export interface FileLocks {
  /**
   * Runs `work` while no one else holds the lock of this name. `signal` is aborted when another process takes the lock.
   * Rejects with the error of `work`, or with `STORE_BUSY`, `STORE_INSECURE` or `STORE_UNAVAILABLE`.
   */
  run<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Call this right before a write. Rejects with `STORE_LOCK_LOST` when {@link run} is at work under this name and has
   * lost the lock, so that a holder that was suspended does not overwrite what its successor wrote.
   */
  assertNotLost(name: string): Promise<void>;
}

/**
 * Creates locks that are files in a directory: they exclude callers of this process and of other processes, and survive a
 * crash of their holder.
 * @example
 * const locks = createFileLocks({ directory: '/home/user/.local/state/my-store/locks' });
 * await locks.run('https://as.example', async (signal) => refresh(signal));
 */
export function createFileLocks(options: FileLocksOptions): FileLocks {
  const { directory, prepare, staleMs = DEFAULT_STALE_MS, waitMs = DEFAULT_WAIT_MS } = options;
  const { clock = systemClock } = options;
  const mutex = createKeyedMutex(clock);
  const held = new Map<string, HeldLock>();

  const acquire = async (name: string, deadline: number): Promise<HeldLock> => {
    try {
      await prepare?.();
      await ensurePrivateDirectory(directory);
      const file = await acquireLock({
        directory,
        name: entryName(name),
        staleMs,
        waitMs,
        deadline,
        clock,
      });
      return holdLock(file, staleMs, clock);
    } catch (error) {
      throw asStoreError(error, `Could not create a lock in ${directory}.`);
    }
  };

  return {
    async run(name, work) {
      const deadline = clock.now() + waitMs;
      const release = await mutex.acquire(name, waitMs);
      try {
        const lock = await acquire(name, deadline);
        held.set(name, lock);
        try {
          return await work(lock.signal);
        } finally {
          held.delete(name);
          await lock.release();
        }
      } finally {
        release();
      }
    },
    async assertNotLost(name) {
      const lock = held.get(name);
      if (lock === undefined || (await lock.isHeld())) return;
      throw storeError('STORE_LOCK_LOST', 'Nothing was written: another process has taken the lock.', {
        hint: 'Read the value again: the other process may have written a newer one.',
      });
    },
  };
}
