import { RE2JS } from 're2js';

/** Longer patterns are not compiled. */
const MAX_LENGTH = 1_000;
/** Characters after which the states that RE2 has computed are released: up to 8 MB for one pattern. */
const MAX_REMEMBERED = 100_000;

/** A regular expression of a server or a model. It takes linear time, whatever it is. */
export class LinearPattern {
  /** The pattern as its author wrote it. */
  readonly source: string;
  /** Maximum steps for each character of a text. */
  readonly steps: number;
  readonly #re2: RE2JS;
  #tested = 0;

  private constructor(source: string, re2: RE2JS) {
    this.source = source;
    this.#re2 = re2;
    this.steps = re2.programSize();
  }

  /** Compiles a pattern, or returns why it cannot be compiled, such as `it has more than 1000 characters`. */
  static compile(pattern: string, ignoreCase = false): LinearPattern | string {
    if (pattern.length > MAX_LENGTH) return `it has more than ${MAX_LENGTH} characters`;
    const problem = portabilityProblem(pattern);
    if (problem !== undefined) return problem;
    try {
      const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
      return new LinearPattern(pattern, RE2JS.compile(RE2JS.translateRegExp(asRe2(pattern)), flags));
    } catch {
      return 'it has a lookaround, a backreference or another part that could take very long';
    }
  }

  /** Returns whether any part of a text matches. */
  test(text: string): boolean {
    this.#tested += text.length;
    if (this.#tested > MAX_REMEMBERED) {
      this.#re2.reset();
      this.#tested = 0;
    }
    return this.#re2.test(text);
  }

  /** Returns where the first match at or after `from` begins, or undefined. */
  find(text: string, from: number): number | undefined {
    const matcher = this.#re2.matcher(text);
    return matcher.find(from) ? matcher.start() : undefined;
  }
}

/** Letters and digits that mean the same after a backslash with and without the `u` flag. */
const KNOWN_ESCAPE = /^[dDwWsSbBfnrtv01-9]$/;
/** An escape: a whole one of several characters, or a backslash and one character. */
const ESCAPE = /\\(c[A-Za-z]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|[\s\S]?)/g;

/**
 * Returns why JavaScript reads a pattern in another way than its author, or undefined if it does not. JSON Schema means the `u`
 * flag, and servers in other languages use escapes of their own engine.
 */
function portabilityProblem(pattern: string): string | undefined {
  for (const [, escaped = ''] of pattern.matchAll(ESCAPE)) {
    if (/^[A-Za-z0-9]$/.test(escaped) && !KNOWN_ESCAPE.test(escaped)) {
      return `\\${escaped} means something else in JavaScript`;
    }
  }
  if (/\\u[dD][89a-fA-F]/.test(pattern)) return 'a half of a character beyond U+FFFF is not supported';
  return asRegExp(pattern) === undefined ? 'it is not a regular expression of JavaScript' : undefined;
}

/**
 * Compiles a pattern as JavaScript does. With the `u` flag if that is possible: many servers write patterns that are valid only
 * without it, such as `[\w\-]`.
 */
export function asRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Invalid with these flags.
    }
  }
  return undefined;
}

/** White space as JavaScript knows it; that of RE2 is ASCII only. It ends with a range, after which `-` is a hyphen, as in `[\s-.]`. */
const SPACE =
  '\\t-\\r \\xa0\\x{1680}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}\\x{2000}-\\x{200a}';
const NOT_SPACE =
  '\\x00-\\x08\\x0e-\\x1f!-\\x9f\\xa1-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Rewrites what RE2 reads in another way than JavaScript, besides what `RE2JS.translateRegExp` does. */
function asRe2(pattern: string): string {
  let inClass = false;
  return pattern.replaceAll(/\\[\s\S]|[[\].]/g, (token) => {
    switch (token) {
      case '[':
        // RE2 would read `[[:alpha:]]` as a class of POSIX.
        if (inClass) return '\\[';
        inClass = true;
        return token;
      case ']':
        inClass = false;
        return token;
      case '.':
        return inClass ? token : '[^\\n\\r\\x{2028}\\x{2029}]';
      case '\\s':
        return inClass ? SPACE : `[${SPACE}]`;
      case '\\S':
        return inClass ? NOT_SPACE : `[${NOT_SPACE}]`;
      case '\\b':
        return inClass ? '\\x08' : token;
      default:
        return token;
    }
  });
}
