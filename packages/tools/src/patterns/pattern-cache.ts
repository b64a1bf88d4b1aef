import { LinearPattern } from './linear-pattern.js';

/** The tools of 36 real servers have 37. */
const MAX_PATTERNS = 500;

/** Compiles each pattern once for the tools of a host: a server repeats its patterns, and one takes a millisecond. */
export class PatternCache {
  readonly #known = new Map<string, LinearPattern | string>();

  /** Returns the compiled pattern, or why it cannot be tested. */
  get(pattern: string): LinearPattern | string {
    const known = this.#known.get(pattern);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_PATTERNS) this.#known.clear();
    const compiled = LinearPattern.compile(pattern);
    this.#known.set(pattern, compiled);
    return compiled;
  }
}
