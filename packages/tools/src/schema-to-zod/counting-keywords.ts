import type { SchemaDifferences } from '../schema/schema-differences.js';

/**
 * A keyword that counts how many schemas or values match (`oneOf`, `maxContains`). If a counted schema accepts more than the
 * original, the keyword accepts less.
 */
export interface CountingKeyword {
  /** The schemas that are counted. */
  readonly pointers: readonly string[];
  /** Replaces the keyword by one that does not count, and reports it. */
  readonly relax: () => void;
}

/** A reference: from where to where it leads, as JSON Pointers. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/** Relaxes every counting keyword whose schemas, references followed, are not checked in full. */
export function relaxCountingKeywords(
  keywords: readonly CountingKeyword[],
  links: readonly Link[],
  differences: SchemaDifferences,
): void {
  let kept = keywords;
  // Relaxing one keyword is a difference for those around it.
  for (let changed = differences.pointers.size > 0; changed;) {
    const tooMany = kept.length * (links.length + differences.pointers.size) > MAX_COMPARISONS;
    const affected = kept.filter(
      ({ pointers }) => tooMany || pointers.some((pointer) => differs(pointer, links, differences.pointers)),
    );
    for (const keyword of affected) keyword.relax();
    kept = kept.filter((keyword) => !affected.includes(keyword));
    changed = affected.length > 0;
  }
}

/** Beyond it, all are relaxed. No schema of a real server comes near. */
const MAX_COMPARISONS = 1_000_000;

function differs(pointer: string, links: readonly Link[], differences: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  const open = [pointer];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    for (const difference of differences) if (isUnder(difference, place)) return true;
    for (const { from, to } of links) if (isUnder(from, place)) open.push(to);
  }
  return false;
}

const isUnder = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`);
