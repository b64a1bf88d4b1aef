import type { Clock } from '@mcp-fittings/client-core';

/** Keeps values until they expire, at most `max`; the one that was unused for longest makes room. */
export class RecentValues<T> {
  readonly #max: number;
  readonly #clock: Clock;
  /** A map keeps the order of insertion: the first entry is the one that was unused for longest. */
  readonly #kept = new Map<string, { readonly value: T; readonly expiresAt: number }>();

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  get(key: string): T | undefined {
    const entry = this.#remove(key);
    if (entry !== undefined) this.#kept.set(key, entry);
    return entry?.value;
  }

  /** Returns a value and removes it. */
  take(key: string): T | undefined {
    return this.#remove(key)?.value;
  }

  /** @param expiresAt - milliseconds since the epoch */
  set(key: string, value: T, expiresAt: number): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, expiresAt });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#max) break;
      this.#kept.delete(oldest);
    }
  }

  #remove(key: string): { readonly value: T; readonly expiresAt: number } | undefined {
    const entry = this.#kept.get(key);
    this.#kept.delete(key);
    return entry === undefined || entry.expiresAt <= this.#clock.now() ? undefined : entry;
  }
}
