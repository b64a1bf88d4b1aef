import type { Clock } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';

/** Keeps values until they expire, at most `max`; the one that was unused for longest makes room. */
export class RecentValues<T> {
  readonly #clock: Clock;
  readonly #kept: RecentMap<string, { readonly value: T; readonly expiresAt: number }>;

  constructor(max: number, clock: Clock) {
    this.#kept = new RecentMap(max);
    this.#clock = clock;
  }

  get(key: string): T | undefined {
    const entry = this.#kept.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > this.#clock.now()) this.#kept.set(key, entry);
    else this.#kept.delete(key);
    return this.#kept.get(key)?.value;
  }

  /** Returns a value and removes it. */
  take(key: string): T | undefined {
    const value = this.get(key);
    this.#kept.delete(key);
    return value;
  }

  /** @param expiresAt - milliseconds since the epoch */
  set(key: string, value: T, expiresAt: number): void {
    this.#kept.set(key, { value, expiresAt });
  }
}
