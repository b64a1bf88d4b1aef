import type { LinearPattern } from '../patterns/linear-pattern.js';

/** Characters between the beginnings of two matches in one line. */
export const BETWEEN_MATCHES = 160;
/** A longer line is searched in parts of this size. */
const MAX_PART = 32_768;
/** A part of a long line takes at most so many steps. */
const MAX_STEPS = 20_000_000;

/** Where a {@link LineSearch} begins, and when it ends. */
export interface LineSearchOptions {
  /** Offset of the first character to search. */
  readonly from: number;
  /** The character before, or a line feed. */
  readonly before: string;
  /** Number of the line there. */
  readonly line: number;
  readonly maxMatches: number;
  readonly isLate: () => boolean;
}

/** The beginning of a match. */
interface LineMatch {
  readonly line: number;
  /** Offset of the line, or of where the search began in it. */
  readonly lineStart: number;
  readonly at: number;
}

/** Searches a text that comes in pieces, line by line. */
export class LineSearch {
  readonly found: LineMatch[] = [];
  /** Where to continue. */
  next: number;
  readonly #pattern: LinearPattern;
  readonly #options: LineSearchOptions;
  readonly #part: number;
  /** Characters that a part shares with the next one: a match of more may be missed where a long line is cut. */
  readonly #overlap: number;
  /** What is not searched yet, and its offset. */
  #text: string;
  #start: number;
  /** 1 if the first character of `#text` only tells that the line does not begin after it. */
  #skipped: 0 | 1;
  #line: number;
  #lineStart: number;
  #resume = 0;

  constructor(pattern: LinearPattern, options: LineSearchOptions) {
    const { from, before, line } = options;
    this.#pattern = pattern;
    this.#options = options;
    this.#part = Math.min(MAX_PART, Math.floor(MAX_STEPS / pattern.steps));
    this.#overlap = Math.floor(this.#part / 4);
    this.#skipped = before === '\n' ? 0 : 1;
    this.#text = before === '\n' ? '' : before;
    this.#start = from - this.#skipped;
    this.#line = line;
    this.#lineStart = from;
    this.next = from;
  }

  /** Searches the next piece. Returns whether the search has ended. */
  read(piece: string, isLast: boolean): boolean {
    this.#text += piece;
    for (;;) {
      const feed = this.#text.indexOf('\n');
      const end = feed === -1 && isLast ? this.#text.length : feed;
      const isWhole = end !== -1 && end <= this.#part;
      if (!isWhole && this.#text.length < this.#part) break;
      if (this.#search(this.#text.slice(0, isWhole ? end : this.#part), isWhole)) return true;
      if (isWhole && feed === -1) {
        this.next = this.#start + end;
        return true;
      }
      this.#drop(isWhole ? end + 1 : this.#part - this.#overlap - 1);
      this.#skipped = isWhole ? 0 : 1;
      if (isWhole) {
        this.#line++;
        this.#lineStart = this.#start;
        this.#resume = 0;
      }
    }
    this.next = Math.max(this.#start + this.#skipped, this.#resume);
    return false;
  }

  /** Searches a line, or a part of a long one. Returns whether the search has ended. */
  #search(text: string, isWhole: boolean): boolean {
    const { maxMatches, isLate } = this.#options;
    const last = isWhole ? text.length : text.length - this.#overlap;
    let position = Math.max(this.#skipped, this.#resume - this.#start);
    // Most lines do not match, which is faster to find out.
    if (position >= last || !this.#pattern.test(text)) return false;
    while (position < last) {
      const at = this.#pattern.find(text, position);
      if (at === undefined || at >= last) return false;
      this.found.push({ line: this.#line, lineStart: this.#lineStart, at: this.#start + at });
      position = at + BETWEEN_MATCHES;
      this.#resume = this.#start + position;
      this.next = isWhole ? Math.min(this.#resume, this.#start + text.length + 1) : this.#resume;
      if (this.found.length >= maxMatches || isLate()) return true;
    }
    return false;
  }

  #drop(characters: number): void {
    this.#text = this.#text.slice(characters);
    this.#start += characters;
  }
}
