/** A value in a {@link TokenStore}: a plain JSON object whose meaning only its owner knows. */
export type StoredValue = Readonly<Record<string, unknown>>;

/**
 * Stores credentials. A store does not return undefined when it cannot read: it rejects with a `FittingsError` of kind `auth`,
 * such as `STORE_UNAVAILABLE`, `STORE_LOCKED` or `STORE_CORRUPT`. Check an implementation with `tokenStoreSuite` of
 * `@mcp-fittings/testkit/token-store`.
 */
export interface TokenStore {
  /** Returns the value of the key, or undefined if the key is unknown. */
  get(key: string): Promise<StoredValue | undefined>;
  /** Replaces the value atomically. Resolves when it would survive a crash, if the store can ensure that. */
  set(key: string, value: StoredValue): Promise<void>;
  /** Removes the value, if there is one. */
  delete(key: string): Promise<void>;
  /**
   * Runs `work` while holding the lock of the key, which excludes all other holders in this process and in others that share
   * the store. `signal` is aborted if the lock is lost before `work` has ended. Rejects with `STORE_BUSY` if another holder
   * keeps the lock for too long.
   */
  withLock<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
