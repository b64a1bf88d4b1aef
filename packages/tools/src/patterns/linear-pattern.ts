import { overlap, type CharacterSet } from './character-set.js';
import { parsePattern, type Expression } from './parse-pattern.js';

/** Longer patterns are not analysed. */
const LONGEST = 1_000;
/** Characters and classes of a pattern with its counted repetitions written out. */
const MOST_POSITIONS = 200;
/** Repetitions of one class that are written out. */
const LONG_RUN = 50;
/** Ways that a text may be read in at the same time. */
const MOST_WAYS = 1_000;

/**
 * Whether a backtracking engine surely needs no more than a constant number of steps for each character of a text.
 * False means "not proved", not "slow".
 *
 * The pattern becomes its position automaton (Glushkov). Wherever its next character decides between all ways on,
 * nothing is tried in vain. Where it does not, the engine may try each way; that is harmless as long as no such place
 * can come again (it lies on no loop) and the ways multiply to a small number only.
 */
export function isLinearPattern(pattern: string): boolean {
  if (pattern.length > LONGEST) return false;
  const parsed = parsePattern(pattern);
  if (parsed === undefined) return false;
  const automaton = new Automaton();
  let ends: Ends;
  try {
    ends = automaton.add(parsed.body);
  } catch (error) {
    if (error instanceof NotProved) return false;
    throw error;
  }
  const { sets, next } = automaton;
  // Without `^` the engine starts again at each character: a loop would make that quadratic.
  if (!parsed.anchored && automaton.loops) return false;
  return waysFrom(ends.first, sets, next) <= MOST_WAYS;
}

class NotProved extends Error {}

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
    if (position >= MOST_POSITIONS) throw new NotProved();
    this.next.push([]);
    return { first: [position], last: [position], nullable: false };
  }

  #choice(expressions: readonly Expression[]): Ends {
    const options = expressions.map((option) => this.add(option));
    // Two ways to read nothing.
    if (options.filter((option) => option.nullable).length > 1) throw new NotProved();
    return {
      first: options.flatMap((option) => option.first),
      last: options.flatMap((option) => option.last),
      nullable: options.some((option) => option.nullable),
    };
  }

  #repeat(item: Expression, min: number, max: number): Ends {
    if (max < min) throw new NotProved();
    if (max === 0) return EMPTY;
    // A long run of one class behaves like an endless one, which is easier to write out.
    if (item.kind === 'set' && max > LONG_RUN && max !== Infinity)
      return this.#repeat(item, Math.min(min, 1), Infinity);
    let ends = EMPTY;
    // What is mandatory, except the last one of an endless repetition, which is its loop.
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
    // Nothing, repeated, can be read in endless ways.
    if (ends.nullable) throw new NotProved();
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

/** How many ways of reading one text there can be at most; infinite when the number grows with the text. */
function waysFrom(
  first: readonly number[],
  sets: readonly CharacterSet[],
  next: readonly (readonly number[])[],
): number {
  const decided = next.map((followers) => isDecided(followers, sets));
  // It would be counted up to the limit, at great length.
  const ambiguousLoop = next.some((_, position) => !decided[position] && reaches(position, position, next));
  if (ambiguousLoop) return Infinity;

  const ways = next.map(() => 1);
  const combine = (followers: readonly number[], oneOnly: boolean): number => {
    const counts = followers.map((follower) => ways[follower] ?? 1);
    return oneOnly ? Math.max(1, ...counts) : counts.reduce((sum, count) => sum + count, 0);
  };
  // Values only grow, and a place that adds up lies on no loop: this ends, after few rounds from the back.
  for (let changed = true; changed;) {
    changed = false;
    for (let position = next.length - 1; position >= 0; position--) {
      const count = combine(next[position] ?? [], decided[position] ?? false);
      if (count === ways[position]) continue;
      if (count > MOST_WAYS) return Infinity;
      ways[position] = count;
      changed = true;
    }
  }
  return combine(first, isDecided(first, sets));
}

/** No character fits two of these positions. */
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
