import {
  complement,
  DIGITS,
  LINE_ENDS,
  normalizeRanges,
  SPACE,
  WORD,
  type CharacterSet,
} from './character-set.js';

/** The syntax tree of a regular expression. */
export type Expression =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly item: Expression; readonly min: number; readonly max: number };

/** A parsed regular expression. */
export interface ParsedPattern {
  /** Whether it begins with `^`, so that the engine tries only one position of a string. */
  readonly anchored: boolean;
  /** Whether it ends with `$`. */
  readonly closed: boolean;
  readonly body: Expression;
}

/**
 * Parses the subset of ECMAScript's syntax that can be analyzed: characters, classes, groups, alternatives, quantifiers, a
 * leading `^` and a trailing `$`. Returns undefined for anything else: lookaround, backreferences, `\b`, inner anchors.
 */
export function parsePattern(pattern: string): ParsedPattern | undefined {
  const anchored = pattern.startsWith('^');
  const end = /(?<!\\)(?:\\\\)*\$$/.test(pattern) ? pattern.length - 1 : pattern.length;
  const parser = new Parser(pattern.slice(anchored ? 1 : 0, end));
  try {
    const body = parser.choice();
    // `^a|b` anchors only its first option.
    if (!parser.atEnd || ((anchored || end < pattern.length) && body.kind === 'choice')) return undefined;
    return { anchored, closed: end < pattern.length, body };
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

class Unsupported extends Error {}

const CLASSES: Readonly<Record<string, CharacterSet>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
const CONTROLS: Readonly<Record<string, number>> = { f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b };

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  choice(): Expression {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(): Expression {
    const items: Expression[] = [];
    while (!this.atEnd && this.#peek() !== '|' && this.#peek() !== ')') {
      items.push(this.#quantified(this.#atom()));
    }
    return { kind: 'sequence', items };
  }

  #atom(): Expression {
    const character = this.#next();
    switch (character) {
      case '(': {
        if (this.#take('?') && !this.#take(':')) throw new Unsupported();
        const inner = this.choice();
        if (!this.#take(')')) throw new Unsupported();
        return inner;
      }
      case '[':
        return { kind: 'set', set: this.#class() };
      case '.':
        return { kind: 'set', set: complement(LINE_ENDS) };
      case '\\':
        return { kind: 'set', set: this.#escape() };
      case '^':
      case '$':
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
      case ')':
        throw new Unsupported();
      default:
        return { kind: 'set', set: single(character) };
    }
  }

  #quantified(item: Expression): Expression {
    const quantifier = this.#quantifier();
    if (quantifier === undefined) return item;
    // A lazy quantifier tries the same ways in another order.
    this.#take('?');
    return { kind: 'repeat', item, min: quantifier[0], max: quantifier[1] };
  }

  #quantifier(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    if (this.#peek() !== '{') return undefined;
    const counted = /^\{(\d{1,9})(?:(,)(\d{1,9})?)?\}/.exec(this.#text.slice(this.#at, this.#at + 22));
    if (counted === null) throw new Unsupported();
    this.#at += counted[0].length;
    const min = Number(counted[1]);
    if (counted[2] === undefined) return [min, min];
    return [min, counted[3] === undefined ? Infinity : Number(counted[3])];
  }

  #class(): CharacterSet {
    const negated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take(']')) {
      const low = this.#classMember();
      if (this.#peek() === '-' && this.#text[this.#at + 1] !== ']') {
        this.#next();
        const high = this.#classMember();
        const from = onlyMember(low);
        const to = onlyMember(high);
        if (from === undefined || to === undefined || from > to) throw new Unsupported();
        ranges.push([from, to]);
      } else {
        ranges.push(...low);
      }
    }
    const set = normalizeRanges(ranges);
    return negated ? complement(set) : set;
  }

  #classMember(): CharacterSet {
    const character = this.#next();
    if (character !== '\\') return single(character);
    return this.#peek() === 'b' && this.#take('b') ? single('\b') : this.#escape();
  }

  #escape(): CharacterSet {
    const character = this.#next();
    const known = CLASSES[character];
    if (known !== undefined) return known;
    const control = CONTROLS[character];
    if (control !== undefined) return [[control, control]];
    if (character === 'x') return this.#hexadecimal(2);
    if (character === 'u') return this.#hexadecimal(4);
    // Backreferences, `\b`, `\k`, `\c`, octal, `\p`, and letters with a meaning in other engines.
    if (/[A-Za-z0-9]/.test(character)) throw new Unsupported();
    return single(character);
  }

  #hexadecimal(length: number): CharacterSet {
    const digits = this.#text.slice(this.#at, this.#at + length);
    if (digits.length < length || !/^[\da-fA-F]+$/.test(digits)) throw new Unsupported();
    this.#at += length;
    const code = Number.parseInt(digits, 16);
    return [[code, code]];
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #next(): string {
    const character = this.#text[this.#at++];
    if (character === undefined) throw new Unsupported();
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
}

function single(character: string): CharacterSet {
  const code = character.charCodeAt(0);
  return [[code, code]];
}

function onlyMember(set: CharacterSet): number | undefined {
  const [range] = set;
  return set.length === 1 && range !== undefined && range[0] === range[1] ? range[0] : undefined;
}
