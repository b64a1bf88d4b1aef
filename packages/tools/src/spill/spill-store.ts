/**
 * Keeps results. An implementation needs to know nothing about them: `data` are bytes, and `key` has 64 hexadecimal digits that cannot be
 * guessed. It may remove any entry at any time.
 * @example A store in Redis
 * ```ts
 * const store: SpillStore = {
 *   put: async (key, data, { ttlMs }) => void (await redis.set(key, Buffer.from(data), { PX: ttlMs })),
 *   get: async (key) => (await redis.getBuffer(key)) ?? undefined,
 *   delete: async (key) => void (await redis.del(key)),
 * };
 * ```
 */
export interface SpillStore {
  /** Keeps an entry. Resolves when {@link SpillStore.get} would return it. If it rejects, nothing is left behind. */
  put(
    key: string,
    data: Uint8Array,
    options: {
      /** Milliseconds for which to keep the entry. */
      readonly ttlMs: number;
      /** Identifies the conversation: 64 hexadecimal digits. When space is short, the largest owner makes room first. */
      readonly owner: string;
    },
  ): Promise<void>;
  /** Resolves with the bytes of an entry, or with undefined if the store has no such entry. Rejects if it exists and cannot be read. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes an entry, if it exists. */
  delete(key: string): Promise<void>;
  /** Removes all entries of this process. Default: nothing, so that entries last until they expire. */
  close?(): Promise<void>;
}
