import { overlap, type CharacterSet } from './character-set.js';
import { parsePattern, type Expression } from './parse-pattern.js';

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
  const automaton = new Automaton();
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

interface Ends {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly nullable: boolean;
}

const EMPTY: Ends = { first: [], last: [], nullable: true };

/** Positions are the characters of the pattern; `next` lists, once for each way, which may follow which. */
class Automaton {
  readonly sets: CharacterSet[] = [];
  readonly next: number[][] = [];
  loops = false;

  add(expression: Expression): Ends {
    if (expression.kind === 'set') return this.#position(expression.set);
    if (expression.kind === 'choice') return this.#choice(expression.options);
    if (expression.kind === 'repeat') return this.#repeat(expression.item, expression.min, expression.max);
    return expression.items.reduce((before, item) => this.#join(before, this.add(item)), EMPTY);
  }

  #position(set: CharacterSet): Ends {
    const position = this.sets.push(set) - 1;
    if (position >= MAX_POSITIONS) throw new NotProven();
    this.next.push([]);
    return { first: [position], last: [position], nullable: false };
  }

  #choice(expressions: readonly Expression[]): Ends {
    const options = expressions.map((option) => this.add(option));
    // Two ways to match the empty string.
    if (options.filter((option) => option.nullable).length > 1) throw new NotProven();
    return {
      first: options.flatMap((option) => option.first),
      last: options.flatMap((option) => option.last),
      nullable: options.some((option) => option.nullable),
    };
  }

  #repeat(item: Expression, min: number, max: number): Ends {
    if (max < min) throw new NotProven();
    if (max === 0) return EMPTY;
    // A long run of one class behaves like an endless one, which is shorter to expand.
    if (item.kind === 'set' && max > LONG_RUN && max !== Infinity)
      return this.#repeat(item, Math.min(min, 1), Infinity);
    let ends = EMPTY;
    // The mandatory repetitions. The last one of an endless repetition is its loop.
    const mandatory = max === Infinity ? Math.max(0, min - 1) : min;
    for (let times = 0; times < mandatory; times++) ends = this.#join(ends, this.#repeatable(item));
    if (max === Infinity) {
      const loop = this.#repeatable(item);
      this.#link(loop.last, loop.first);
      this.loops = true;
      return this.#join(ends, { ...loop, nullable: min === 0 });
    }
    let optional = EMPTY;
    // x{0,3} is (x(x(x)?)?)?: from the inside out.
    for (let times = min; times < max; times++) {
      optional = { ...this.#join(this.#repeatable(item), optional), nullable: true };
    }
    return this.#join(ends, optional);
  }

  #repeatable(item: Expression): Ends {
    const ends = this.add(item);
    // Repeating the empty string matches in endless ways.
    if (ends.nullable) throw new NotProven();
    return ends;
  }

  #join(before: Ends, after: Ends): Ends {
    this.#link(before.last, after.first);
    return {
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
      nullable: before.nullable && after.nullable,
    };
  }

  #link(from: readonly number[], to: readonly number[]): void {
    for (const position of from) this.next[position]?.push(...to);
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
