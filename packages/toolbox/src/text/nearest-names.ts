/** Longer than any valid name. Input from a model may be longer and is cut. */
const LONGEST = 128;
const MOST = 3;

/** Returns the known names that `wanted` probably means, best first, at most three. */
export function nearestNames(wanted: string, known: Iterable<string>): readonly string[] {
  const needle = wanted.slice(0, LONGEST).toLowerCase();
  const ranked: { readonly name: string; readonly distance: number }[] = [];
  for (const name of known) {
    const candidate = name.slice(0, LONGEST).toLowerCase();
    const limit = Math.max(2, Math.floor(Math.max(needle.length, candidate.length) / 3));
    const distance = contains(candidate, needle) ? 1 : editDistance(needle, candidate, limit);
    if (distance <= limit) ranked.push({ name, distance });
  }
  return ranked
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** Returns a hint with the known names that `wanted` probably means, or `otherwise` if there are none. */
export function didYouMean(wanted: string, known: Iterable<string>, otherwise: string): string {
  const near = nearestNames(wanted, known);
  return near.length === 0 ? otherwise : `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
}

/** Returns true if one is the other with a prefix or suffix, as in `read_file` and `mcp__fs__read_file`. */
function contains(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 3 && (long.endsWith(short) || long.startsWith(short));
}

/** Returns the Levenshtein distance, or any number above `limit` if the lengths differ by more than that. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let distances = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const letter of a) {
    let [left = 0, ...above] = distances;
    distances = [++left];
    for (const [index, up] of above.entries()) {
      // Of the prefixes without the last letter of both; `left` and `up` are those without one of them.
      const both = index === 0 ? left - 1 : (above[index - 1] ?? 0);
      left = Math.min(both + (letter === b[index] ? 0 : 1), up + 1, left + 1);
      distances.push(left);
    }
  }
  return distances[b.length] ?? 0;
}
