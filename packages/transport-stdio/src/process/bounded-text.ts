/** Keeps the last characters of a text that grows without end; costs O(1) a character. */
export interface BoundedText {
  append(chunk: string): void;
  /** The last `limit` UTF-16 units that were appended. */
  tail(): string;
  /** How many UTF-16 units were appended in all. */
  readonly total: number;
}

export function createBoundedText(limit: number): BoundedText {
  let kept = '';
  let total = 0;
  const lastOf = (text: string): string => (text.length > limit ? text.slice(text.length - limit) : text);
  return {
    append(chunk) {
      total += chunk.length;
      kept += lastOf(chunk);
      // Cut at twice the limit, not at each chunk, so that the copying is paid for by what came.
      if (kept.length > limit * 2) kept = lastOf(kept);
    },
    tail: () => lastOf(kept),
    get total() {
      return total;
    },
  };
}
