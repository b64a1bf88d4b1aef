import type { SchemaDifferences } from '../schema/schema-differences.js';

/** A place that counts how many schemas or values fit: where one of them accepts more, it would accept less. */
export interface FragileCount {
  /** The schemas that are counted. */
  readonly pointers: readonly string[];
  /** Stops counting, and reports it. */
  readonly giveUp: () => void;
}

/** A reference: where it stands and where it leads. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/** Gives up every count inside of which, also by way of references, something was lost. */
export function giveUpFragileCounts(
  counts: readonly FragileCount[],
  links: readonly Link[],
  report: SchemaDifferences,
): void {
  let kept = counts;
  // To give one up is a loss too, for those around it.
  for (let changed = report.pointers.size > 0; changed;) {
    const tooMany = kept.length * (links.length + report.pointers.size) > MOST_COMPARISONS;
    const lost = kept.filter(
      ({ pointers }) => tooMany || pointers.some((pointer) => isLossy(pointer, links, report.pointers)),
    );
    for (const count of lost) count.giveUp();
    kept = kept.filter((count) => !lost.includes(count));
    changed = lost.length > 0;
  }
}

/** Beyond it, all are given up: no honest schema comes near. */
const MOST_COMPARISONS = 1_000_000;

function isLossy(pointer: string, links: readonly Link[], losses: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  const open = [pointer];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    for (const loss of losses) if (isUnder(loss, place)) return true;
    for (const { from, to } of links) if (isUnder(from, place)) open.push(to);
  }
  return false;
}

const isUnder = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`);
