import type { Clock } from '@mcp-fittings/client-core';
import { ensurePrivateDirectory } from '../../files/private-directory.js';
import { systemClock } from '../../timing/waits.js';
import { entryName } from '../entry-name.js';
import { asStoreError, storeError } from '../store-error.js';
import { acquireLock } from './acquire-lock.js';
import { HeldLock } from './held-lock.js';
import { KeyedMutex } from './keyed-mutex.js';
import { DEFAULT_STALE_MS, DEFAULT_WAIT_MS, type LockOptions } from './lock-options.js';

/** Options of {@link FileLocks}. */
export interface FileLocksOptions extends LockOptions {
  /** Directory of the lock files, created with mode 0700 when missing. Processes that exclude each other use the same one. */
  readonly directory: string;
  /** Called before `directory` is created, once the caller is next in line. Use it to create the parent directory. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Named locks that are files in a directory. They exclude callers of this process, of other processes of the machine, and of
 * machines that share the directory, and survive a crash of their holder.
 * @example
 * const locks = new FileLocks({ directory: '/home/user/.local/state/my-store/locks' });
 * await locks.run('https://as.example', async (signal) => refresh(signal));
 */
export class FileLocks {
  readonly #options: FileLocksOptions;
  readonly #clock: Clock;
  readonly #staleMs: number;
  readonly #waitMs: number;
  readonly #mutex: KeyedMutex;
  readonly #held = new Map<string, HeldLock>();

  constructor(options: FileLocksOptions) {
    const { staleMs = DEFAULT_STALE_MS, waitMs = DEFAULT_WAIT_MS, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#staleMs = staleMs;
    this.#waitMs = waitMs;
    this.#mutex = new KeyedMutex(clock);
  }

  /**
   * Runs `work` while no one else holds the lock of this name. `signal` is aborted when another process takes the lock.
   * Rejects with the error of `work`, or with `STORE_BUSY`, `STORE_INSECURE` or `STORE_UNAVAILABLE`.
   */
  async run<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = this.#clock.now() + this.#waitMs;
    const release = await this.#mutex.acquire(name, this.#waitMs);
    try {
      const lock = await this.#acquire(name, deadline);
      this.#held.set(name, lock);
      try {
        return await work(lock.signal);
      } finally {
        this.#held.delete(name);
        await lock.release();
      }
    } finally {
      release();
    }
  }

  /**
   * Call this right before a write. Rejects with `STORE_LOCK_LOST` when {@link run} is at work under this name and has
   * lost the lock, so that a holder that was suspended does not overwrite what its successor wrote.
   */
  async assertNotLost(name: string): Promise<void> {
    const lock = this.#held.get(name);
    if (lock === undefined || (await lock.isHeld())) return;
    throw storeError('STORE_LOCK_LOST', 'Nothing was written: another process has taken the lock.', {
      hint: 'Read the value again: the other process may have written a newer one.',
    });
  }

  async #acquire(name: string, deadline: number): Promise<HeldLock> {
    const { directory, prepare } = this.#options;
    const [staleMs, waitMs, clock] = [this.#staleMs, this.#waitMs, this.#clock];
    try {
      await prepare?.();
      await ensurePrivateDirectory(directory);
      const file = await acquireLock({ directory, name: entryName(name), staleMs, waitMs, deadline, clock });
      return new HeldLock(file, staleMs, clock);
    } catch (error) {
      throw asStoreError(error, `Could not create a lock in ${directory}.`);
    }
  }
}
