import type { ShownServer } from './gateway-status.js';

/** Upper bounds of the buckets in which durations of requests are counted, in milliseconds. One more bucket has what took longer. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000,
];

/** Counts durations in a fixed number of buckets. */
export interface LatencyHistogram {
  /** Counts one duration, in milliseconds. */
  record(durationMs: number): void;
  status(): Omit<ShownServer['requests'], 'failed'>;
}

export function createLatencyHistogram(): LatencyHistogram {
  const buckets = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  let count = 0;

  /** The bound below which this share of all durations is. */
  const quantile = (share: number): number | undefined => {
    let below = 0;
    const at = buckets.findIndex((inBucket) => (below += inBucket) >= count * share);
    return count === 0 ? undefined : LATENCY_BOUNDS_MS[at];
  };

  return {
    record(durationMs) {
      const found = LATENCY_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
      const at = found === -1 ? LATENCY_BOUNDS_MS.length : found;
      buckets[at] = (buckets[at] ?? 0) + 1;
      count++;
    },
    status: () => ({ count, buckets: [...buckets], medianMs: quantile(0.5), p95Ms: quantile(0.95) }),
  };
}
