/** A map of at most `max` entries: the oldest makes room. */
export class RecentMap<K, V> extends Map<K, V> {
  readonly #max: number;

  /** @param max Entries to keep. */
  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** Adds or replaces a value, and makes its key the newest one. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#max) break;
      this.delete(oldest);
    }
    return this;
  }
}
