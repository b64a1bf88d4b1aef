/** What a store keeps: a plain JSON object that only its owner understands. */
export type StoredValue = Readonly<Record<string, unknown>>;

/**
 * Keeps credentials. A store never says "absent" when it means "could not look": it rejects with a
 * `FittingsError` of kind `auth` instead.
 */
export interface TokenStore {
  get(key: string): Promise<StoredValue | undefined>;
  /** Replaces the whole value or nothing; resolves when it would survive a crash, where the store can. */
  set(key: string, value: StoredValue): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Runs `work` while no other holder of the same key does, in this process or another that shares the store.
   * `signal` is aborted when the lock is lost before `work` ended.
   */
  withLock<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
