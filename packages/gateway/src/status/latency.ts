/** Upper bounds of the buckets in which durations of requests are counted, in milliseconds. One more bucket has what took longer. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000,
];

/** How long requests took, in the buckets of {@link LATENCY_BOUNDS_MS}. */
export interface LatencyStatus {
  /** Number of requests that have ended. */
  readonly count: number;
  /** Number of requests in each bucket, not cumulative; one more than there are bounds. */
  readonly buckets: readonly number[];
  /** Half of the requests took at most this many milliseconds. Absent: longer than every bound, or no request yet. */
  readonly medianMs?: number | undefined;
  /** 95 of 100 requests took at most this many milliseconds. Absent as {@link medianMs}. */
  readonly p95Ms?: number | undefined;
}

/** Counts durations in a fixed number of buckets. */
export interface LatencyHistogram {
  /** Counts one duration, in milliseconds. */
  record(durationMs: number): void;
  status(): LatencyStatus;
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
