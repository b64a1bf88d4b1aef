import { isLinearPattern } from './linear-pattern.js';

/** Analyzing a pattern takes at most a millisecond. Of a schema with more patterns, the rest counts as not linear. */
const MAX_ANALYZED = 100;

/** Decides which patterns of one schema can be checked. */
export class PatternFilter {
  /** Whether a pattern was left out because it could block the thread. */
  skippedAny = false;
  readonly #accepts: 'all' | 'linear';
  readonly #problems = new Map<string, string | undefined>();

  constructor(accepts: 'all' | 'linear') {
    this.#accepts = accepts;
  }

  /** Returns why this pattern is not checked, or undefined if it is. */
  problemOf(pattern: string): string | undefined {
    if (!this.#problems.has(pattern)) this.#problems.set(pattern, this.#analyze(pattern));
    return this.#problems.get(pattern);
  }

  #analyze(pattern: string): string | undefined {
    const problem = portabilityProblem(pattern);
    if (problem !== undefined || this.#accepts === 'all') return problem;
    if (this.#problems.size < MAX_ANALYZED && isLinearPattern(pattern)) return undefined;
    this.skippedAny = true;
    return 'it could take very long on some strings';
  }
}

/** Letters and digits that mean the same after a backslash with and without the `u` flag. */
const KNOWN_ESCAPE = /^[dDwWsSbBfnrtv0cxu1-9]$/;

/**
 * Returns why a `pattern` cannot be passed to `new RegExp(pattern)`, as Zod does, or undefined if it can. JSON Schema means
 * the `u` flag, and servers in other languages use escapes of their own engine. Without the flag both are read as plain
 * letters, and valid arguments would be rejected.
 */
function portabilityProblem(pattern: string): string | undefined {
  for (const [, escaped = ''] of pattern.matchAll(/\\([\s\S]?)/g)) {
    if (/[A-Za-z0-9]/.test(escaped) && !KNOWN_ESCAPE.test(escaped)) {
      return `\\${escaped} means something else in JavaScript`;
    }
  }
  if (/\\u\{|[\u{10000}-\u{10ffff}]/u.test(pattern)) return 'characters beyond U+FFFF are not supported';
  return compiles(pattern) ? undefined : 'it is not a regular expression of JavaScript';
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern).lastIndex === 0;
  } catch {
    return false;
  }
}
