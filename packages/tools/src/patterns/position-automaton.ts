import type { CharacterSet } from './character-set.js';
import type { Expression } from './parse-pattern.js';

/** Where a match of a part of a pattern may begin and end. */
export interface Ends {
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** Whether the part matches the empty string. */
  readonly nullable: boolean;
}

const EMPTY: Ends = { first: [], last: [], nullable: true };

/** The position automaton of a pattern (Glushkov). Positions are its characters and classes, with counted repetitions expanded. */
export abstract class PositionAutomaton {
  readonly sets: CharacterSet[] = [];
  /** Whether a part may be repeated without end. */
  loops = false;
  readonly #maxPositions: number;

  constructor(maxPositions: number) {
    this.#maxPositions = maxPositions;
  }

  /** Adds a part of the pattern. Throws what {@link refuse} returns if there are too many positions. */
  add(expression: Expression): Ends {
    if (expression.kind === 'set') return this.#position(expression.set);
    if (expression.kind === 'choice')
      return this.choice(expression.options.map((option) => this.add(option)));
    if (expression.kind === 'repeat') return this.repeat(expression.item, expression.min, expression.max);
    return expression.items.reduce((before, item) => this.#join(before, this.add(item)), EMPTY);
  }

  /** Notes that each of these positions may be followed by each of those. */
  protected abstract link(from: readonly number[], to: readonly number[]): void;
  /** Returns the error of a pattern that does not become an automaton. */
  protected abstract refuse(problem: string): Error;

  protected choice(options: readonly Ends[]): Ends {
    return {
      first: options.flatMap(({ first }) => first),
      last: options.flatMap(({ last }) => last),
      nullable: options.some(({ nullable }) => nullable),
    };
  }

  protected repeat(item: Expression, min: number, max: number): Ends {
    if (max < min) throw this.refuse('has a repetition with its numbers in the wrong order');
    if (max === 0) return EMPTY;
    if (Math.max(min, max === Infinity ? 0 : max) > this.#maxPositions) throw this.refuse('is too complex');
    let ends = EMPTY;
    // The mandatory repetitions. The last one of an endless repetition is its loop.
    const mandatory = max === Infinity ? Math.max(0, min - 1) : min;
    for (let times = 0; times < mandatory; times++) ends = this.#join(ends, this.repeated(item));
    if (max === Infinity) {
      const loop = this.repeated(item);
      this.link(loop.last, loop.first);
      this.loops = true;
      return this.#join(ends, { ...loop, nullable: loop.nullable || min === 0 });
    }
    let optional = EMPTY;
    // x{0,3} is (x(x(x)?)?)?: from the inside out.
    for (let times = min; times < max; times++)
      optional = { ...this.#join(this.repeated(item), optional), nullable: true };
    return this.#join(ends, optional);
  }

  /** Adds an item that is repeated. */
  protected repeated(item: Expression): Ends {
    return this.add(item);
  }

  #position(set: CharacterSet): Ends {
    if (this.sets.length >= this.#maxPositions) throw this.refuse('is too complex');
    const position = this.sets.push(set) - 1;
    return { first: [position], last: [position], nullable: false };
  }

  #join(before: Ends, after: Ends): Ends {
    this.link(before.last, after.first);
    return {
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
      nullable: before.nullable && after.nullable,
    };
  }
}
