import type { Clock } from '@mcp-fittings/client-core';

/** Values that are kept until they expire, or until more than `max` newer ones were used. */
export interface RecentValues<T> {
  get(key: string): T | undefined;
  /** Returns a value and removes it. */
  take(key: string): T | undefined;
  /** @param expiresAt - milliseconds since the epoch */
  set(key: string, value: T, expiresAt: number): void;
}

/** Creates a cache of at most `max` values; the one that was unused for longest makes room. */
export function createRecentValues<T>(max: number, clock: Clock): RecentValues<T> {
  // A map keeps the order of insertion: the first entry is the one that was unused for longest.
  const kept = new Map<string, { readonly value: T; readonly expiresAt: number }>();
  const take = (key: string): { readonly value: T; readonly expiresAt: number } | undefined => {
    const entry = kept.get(key);
    kept.delete(key);
    return entry === undefined || entry.expiresAt <= clock.now() ? undefined : entry;
  };
  return {
    get(key) {
      const entry = take(key);
      if (entry !== undefined) kept.set(key, entry);
      return entry?.value;
    },
    take: (key) => take(key)?.value,
    set(key, value, expiresAt) {
      kept.delete(key);
      kept.set(key, { value, expiresAt });
      for (const oldest of kept.keys()) {
        if (kept.size <= max) break;
        kept.delete(oldest);
      }
    },
  };
}
