import { FittingsError } from '@mcp-fittings/client-core';
import type { CharacterSet } from '../patterns/character-set.js';
import { parsePattern } from '../patterns/parse-pattern.js';
import { PositionAutomaton, type Ends } from '../patterns/position-automaton.js';

/** Finds a pattern in lines. Reads each character once, whatever the pattern is. */
export interface PatternMatcher {
  /** The state at the beginning of a line. */
  readonly lineStart: number;
  /** The state within a line, after a match. */
  readonly within: number;
  /** Returns the state after a character, which may not be a line feed. */
  step(state: number, code: number): number;
  /** Returns whether a match ends before the next character. */
  endsHere(state: number): boolean;
  /** Returns whether a match ends here if the line does. */
  endsLine(state: number): boolean;
}

/** Characters and classes of a pattern, with counted repetitions expanded. */
const MAX_POSITIONS = 1_000;
const MAX_PATTERN_LENGTH = 1_000;
/** States that are kept. Beyond them all are forgotten and computed again. */
const MAX_STATES = 1_000;
const MAX_CLASSES = 256;

/**
 * Compiles a pattern: the position automaton (Glushkov) of the pattern, whose deterministic states are computed when they are
 * first reached. No engine that backtracks sees it, so that no pattern of a model takes more than linear time.
 * @throws {FittingsError} `ARGUMENTS_INVALID` if the syntax is not supported, or the pattern matches empty text.
 */
export function createPatternMatcher(pattern: string, ignoreCase: boolean): PatternMatcher {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw invalidPattern(`has more than ${MAX_PATTERN_LENGTH} characters`);
  const parsed = parsePattern(pattern);
  if (parsed === undefined)
    throw invalidPattern('uses syntax that is not supported: lookaround, backreferences, \\b, ^ or $ inside');
  const automaton = new Automaton(MAX_POSITIONS);
  const ends = automaton.add(parsed.body);
  if (ends.nullable) throw invalidPattern('matches empty text');
  return new LazyStates(automaton, ends, { ...parsed, ignoreCase });
}

function invalidPattern(problem: string): FittingsError {
  return new FittingsError('ARGUMENTS_INVALID', `The pattern ${problem}.`, {
    delivery: 'not-sent',
    hint: 'Use a simpler regular expression, and escape special characters in plain text with a backslash.',
  });
}

/** `next` says which positions may follow which. */
class Automaton extends PositionAutomaton {
  readonly next: Set<number>[] = [];

  protected override link(from: readonly number[], to: readonly number[]): void {
    for (const position of from) {
      const followers = (this.next[position] ??= new Set());
      for (const each of to) followers.add(each);
    }
  }

  protected override refuse(problem: string): Error {
    return invalidPattern(problem);
  }
}

interface State {
  /** The positions that the next character may have. */
  readonly positions: readonly number[];
  /** Whether a match ends here. */
  readonly accepts: boolean;
}

interface MatchOptions {
  readonly anchored: boolean;
  readonly closed: boolean;
  readonly ignoreCase: boolean;
}

/** Numbers of the first two states, which are never forgotten. */
const LINE_START = 0;
const WITHIN = 1;
const UNKNOWN = -1;

class LazyStates implements PatternMatcher {
  readonly lineStart = LINE_START;
  readonly within = WITHIN;
  readonly #automaton: Automaton;
  readonly #first: readonly number[];
  readonly #last: ReadonlySet<number>;
  readonly #options: MatchOptions;
  /** The class of each code unit: code units of a class match the same positions. */
  readonly #classOf = new Int16Array(0x1_0000).fill(UNKNOWN);
  readonly #classes = new Map<string, number>();
  readonly #members: (readonly boolean[])[] = [];
  #states: State[] = [];
  #numbers = new Map<string, number>();
  #accepting: boolean[] = [];
  #steps = new Int32Array(0);

  constructor(automaton: Automaton, ends: Ends, options: MatchOptions) {
    this.#automaton = automaton;
    this.#first = [...new Set(ends.first)].toSorted((a, b) => a - b);
    this.#last = new Set(ends.last);
    this.#options = options;
    this.#forget();
  }

  step(state: number, code: number): number {
    const known = this.#classOf[code] ?? UNKNOWN;
    const each = known === UNKNOWN ? this.#classify(code) : known;
    const next = this.#steps[state * MAX_CLASSES + each] ?? UNKNOWN;
    return next === UNKNOWN ? this.#compute(state, each) : next;
  }

  endsHere(state: number): boolean {
    return !this.#options.closed && this.#accepting[state] === true;
  }

  endsLine(state: number): boolean {
    return this.#accepting[state] === true;
  }

  #compute(from: number, each: number): number {
    const members = this.#members[each] ?? [];
    const state = this.#states[from];
    const matched = (state?.positions ?? []).filter((position) => members[position] === true);
    const next = new Set(this.#options.anchored ? [] : this.#first);
    for (const position of matched)
      for (const follower of this.#automaton.next[position] ?? []) next.add(follower);
    const reached: State = {
      positions: [...next],
      accepts: matched.some((position) => this.#last.has(position)),
    };
    if (this.#states.length >= MAX_STATES) {
      this.#forget();
      return this.#numberOf(reached);
    }
    const number = this.#numberOf(reached);
    this.#steps[from * MAX_CLASSES + each] = number;
    return number;
  }

  #numberOf({ positions, accepts }: State): number {
    const sorted = positions.toSorted((a, b) => a - b);
    const key = `${accepts ? '+' : '-'}${sorted.join(' ')}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#states.push({ positions: sorted, accepts }) - 1;
    this.#numbers.set(key, number);
    this.#accepting.push(accepts);
    return number;
  }

  #forget(): void {
    this.#states = [
      { positions: this.#first, accepts: false },
      { positions: this.#options.anchored ? [] : this.#first, accepts: false },
    ];
    this.#numbers = new Map();
    this.#accepting = [false, false];
    this.#steps = new Int32Array((MAX_STATES + 1) * MAX_CLASSES).fill(UNKNOWN);
  }

  #classify(code: number): number {
    const character = String.fromCharCode(code);
    const same = this.#options.ignoreCase
      ? [character, character.toLowerCase(), character.toUpperCase()]
      : [character];
    const codes = same.filter(({ length }) => length === 1).map((each) => each.charCodeAt(0));
    const members = this.#automaton.sets.map((set) => {
      const contains = (each: number): boolean => set.some(([from, to]) => each >= from && each <= to);
      // `[^a]` leaves out A too.
      return isComplement(set) ? codes.every(contains) : codes.some(contains);
    });
    const key = members.map(Number).join('');
    let known = this.#classes.get(key);
    if (known === undefined) {
      if (this.#members.length >= MAX_CLASSES) throw invalidPattern('is too complex');
      known = this.#members.push(members) - 1;
      this.#classes.set(key, known);
    }
    this.#classOf[code] = known;
    return known;
  }
}

/** A set with most characters was written as those that it leaves out. */
function isComplement(set: CharacterSet): boolean {
  return set.reduce((sum, [from, to]) => sum + to - from + 1, 0) > 0x8000;
}
