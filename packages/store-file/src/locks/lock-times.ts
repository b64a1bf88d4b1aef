/** How patient a lock is. */
export interface LockOptions {
  /**
   * A holder in another process that gives no sign of life for this long, milliseconds, loses the lock: it hangs, is
   * suspended, or died on a machine that can not be asked. Default 10 000. A dead process of this machine loses it at
   * once.
   */
  readonly staleMs?: number | undefined;
  /** Longest wait for a lock, milliseconds; then STORE_BUSY. Default 60 000. */
  readonly waitMs?: number | undefined;
}

export const DEFAULT_STALE_MS = 10_000;
export const DEFAULT_WAIT_MS = 60_000;
