import { overlap, type CharacterSet } from './character-set.js';
import { parsePattern, type Expression } from './parse-pattern.js';
import { PositionAutomaton, type Ends } from './position-automaton.js';

/** Longer patterns are not analyzed. */
const MAX_LENGTH = 1_000;
/** Characters and classes of a pattern, with counted repetitions expanded. */
const MAX_POSITIONS = 200;
/** Repetitions of one class that are expanded. */
const LONG_RUN = 50;
/** Ways in which one string may be matched at the same time. */
const MAX_WAYS = 1_000;

/**
 * Returns whether a backtracking engine provably needs no more than a constant number of steps per character of a string.
 * False means "not proved", not "slow".
 *
 * The pattern becomes its position automaton (Glushkov). Where the next character decides between all ways to continue, the
 * engine never backtracks. Where it does not, the engine may try each way. That is harmless as long as no such position is
 * on a loop and the number of ways stays small.
 */
export function isLinearPattern(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH) return false;
  const parsed = parsePattern(pattern);
  if (parsed === undefined) return false;
  const automaton = new Automaton(MAX_POSITIONS);
  let ends: Ends;
  try {
    ends = automaton.add(parsed.body);
  } catch (error) {
    if (error instanceof NotProven) return false;
    throw error;
  }
  const { sets, next } = automaton;
  // Without `^`, the engine starts again at each character; a loop would make that quadratic.
  if (!parsed.anchored && automaton.loops) return false;
  return waysFrom(ends.first, sets, next) <= MAX_WAYS;
}

class NotProven extends Error {}

/** `next` lists, once for each way, which position may follow which. */
class Automaton extends PositionAutomaton {
  readonly #next: number[][] = [];

  get next(): readonly (readonly number[])[] {
    return this.sets.map((_, position) => this.#next[position] ?? []);
  }

  protected override link(from: readonly number[], to: readonly number[]): void {
    for (const position of from) (this.#next[position] ??= []).push(...to);
  }

  protected override refuse(): Error {
    return new NotProven();
  }

  protected override choice(options: readonly Ends[]): Ends {
    // Two ways to match the empty string.
    if (options.filter(({ nullable }) => nullable).length > 1) throw this.refuse();
    return super.choice(options);
  }

  protected override repeat(item: Expression, min: number, max: number): Ends {
    // A long run of one class behaves like an endless one, which is shorter to expand.
    const isLongRun = item.kind === 'set' && max > LONG_RUN && max !== Infinity && max >= min;
    return isLongRun ? super.repeat(item, Math.min(min, 1), Infinity) : super.repeat(item, min, max);
  }

  protected override repeated(item: Expression): Ends {
    const ends = super.repeated(item);
    // Repeating the empty string matches in endless ways.
    if (ends.nullable) throw this.refuse();
    return ends;
  }
}

/** Returns the maximum number of ways to match one string, or `Infinity` if it grows with the string. */
function waysFrom(
  first: readonly number[],
  sets: readonly CharacterSet[],
  next: readonly (readonly number[])[],
): number {
  const decided = next.map((followers) => isDecided(followers, sets));
  // Counting its ways would take long and end at the limit.
  const ambiguousLoop = next.some((_, position) => !decided[position] && reaches(position, position, next));
  if (ambiguousLoop) return Infinity;

  const ways = next.map(() => 1);
  const combine = (followers: readonly number[], oneOnly: boolean): number => {
    const counts = followers.map((follower) => ways[follower] ?? 1);
    return oneOnly ? Math.max(1, ...counts) : counts.reduce((sum, count) => sum + count, 0);
  };
  // This ends: values only grow, and a position that adds up is not on a loop. From the back it takes few rounds.
  for (let changed = true; changed;) {
    changed = false;
    for (let position = next.length - 1; position >= 0; position--) {
      const count = combine(next[position] ?? [], decided[position] ?? false);
      if (count === ways[position]) continue;
      if (count > MAX_WAYS) return Infinity;
      ways[position] = count;
      changed = true;
    }
  }
  return combine(first, isDecided(first, sets));
}

/** Returns whether no character matches two of these positions. */
function isDecided(positions: readonly number[], sets: readonly CharacterSet[]): boolean {
  return positions.every((a, index) =>
    positions.slice(index + 1).every((b) => !overlap(sets[a] ?? [], sets[b] ?? [])),
  );
}

function reaches(from: number, to: number, next: readonly (readonly number[])[]): boolean {
  const seen = new Set<number>();
  const open = [...(next[from] ?? [])];
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    if (position === to) return true;
    if (seen.has(position)) continue;
    seen.add(position);
    open.push(...(next[position] ?? []));
  }
  return false;
}
