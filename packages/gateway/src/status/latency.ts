import type { ShownServer } from './gateway-status.js';

/** Upper bounds of the buckets in which durations of requests are counted, in milliseconds. One more bucket has what took longer. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000,
];

/** Counts durations in a fixed number of buckets. */
export class LatencyHistogram {
  readonly #buckets = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  #count = 0;

  /** Counts one duration, in milliseconds. */
  record(durationMs: number): void {
    const found = LATENCY_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
    const at = found === -1 ? LATENCY_BOUNDS_MS.length : found;
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
    this.#count++;
  }

  /** Returns what was counted. */
  status(): Omit<ShownServer['requests'], 'failed'> {
    return {
      count: this.#count,
      buckets: [...this.#buckets],
      medianMs: this.#quantile(0.5),
      p95Ms: this.#quantile(0.95),
    };
  }

  /** Returns the bound below which this share of all durations is. */
  #quantile(share: number): number | undefined {
    if (this.#count === 0) return undefined;
    let below = 0;
    const at = this.#buckets.findIndex((inBucket) => (below += inBucket) >= this.#count * share);
    return LATENCY_BOUNDS_MS[at];
  }
}
