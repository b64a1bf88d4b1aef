/** Time limits of a store for its locks. The same in every store. */
export interface LockOptions {
  /**
   * Time after which a holder in another process that shows no sign of life loses the lock, in milliseconds: it hangs, is
   * suspended, or died on a machine that cannot be asked. Default 10 000. With locks in files, a process of this machine
   * that has exited loses its locks at once.
   */
  readonly staleMs?: number | undefined;
  /** Longest wait for a lock, in milliseconds; then `withLock` rejects with `STORE_BUSY`. Default 60 000. */
  readonly waitMs?: number | undefined;
}

/** Default of {@link LockOptions.staleMs}, in milliseconds. */
export const DEFAULT_STALE_MS = 10_000;
/** Default of {@link LockOptions.waitMs}, in milliseconds. */
export const DEFAULT_WAIT_MS = 60_000;
