import { systemClock, type Clock } from '@mcp-fittings/client-core/auth';
import { ensurePrivateDirectory } from '@mcp-fittings/client-core/files';
import { entryName } from '../entry-name.js';
import { asStoreError, storeError } from '../store-error.js';
import { acquireToken } from './acquire-token.js';
import { holdToken, type HeldLock } from './held-lock.js';
import { createKeyedQueue } from './keyed-queue.js';
import { DEFAULT_STALE_MS, DEFAULT_WAIT_MS, type LockTimes } from './lock-times.js';

export interface FileLocksOptions extends LockTimes {
  /** Made when it is missing, mode 0700. Processes that exclude each other use the same one. */
  readonly directory: string;
  /** Comes before `directory` is made, with the lock's place in the queue taken. */
  readonly prepare?: (() => Promise<void>) | undefined;
  readonly clock?: Clock | undefined;
}

/** Named locks across the processes of a machine, and across machines that share the directory. */
export interface FileLocks {
  /**
   * Runs `work` while nobody else holds the lock of this name. `signal` is aborted when another process took the lock
   * over. Rejects with what `work` rejects with, or with STORE_BUSY, STORE_INSECURE or STORE_UNAVAILABLE.
   */
  run<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * For the last step before a write: rejects with STORE_LOCK_LOST while {@link run} is at work under this name and
   * has lost the lock, so that a holder that was suspended can not overwrite what its successor wrote.
   */
  assertNotLost(name: string): Promise<void>;
}

export function createFileLocks(options: FileLocksOptions): FileLocks {
  const { directory, prepare, staleMs = DEFAULT_STALE_MS, waitMs = DEFAULT_WAIT_MS } = options;
  const { clock = systemClock } = options;
  const queue = createKeyedQueue(clock);
  const held = new Map<string, HeldLock>();

  const acquire = async (name: string, deadline: number): Promise<HeldLock> => {
    try {
      await prepare?.();
      await ensurePrivateDirectory(directory);
      const token = await acquireToken({
        directory,
        name: entryName(name),
        staleMs,
        waitMs,
        deadline,
        clock,
      });
      return holdToken(token, staleMs, clock);
    } catch (error) {
      throw asStoreError(error, `No lock could be made in ${directory}.`);
    }
  };

  return {
    async run(name, work) {
      const deadline = clock.now() + waitMs;
      const leave = await queue.enter(name, waitMs);
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
        leave();
      }
    },
    async assertNotLost(name) {
      const lock = held.get(name);
      if (lock === undefined || (await lock.stands())) return;
      throw storeError(
        'STORE_LOCK_LOST',
        'The lock was taken over by another process, so nothing was written.',
        {
          hint: 'Read the value again: the other process may have written a newer one.',
        },
      );
    },
  };
}
