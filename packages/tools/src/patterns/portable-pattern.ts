/** Letters and digits that mean the same after a backslash with and without the `u` flag. */
const KNOWN_ESCAPE = /^[dDwWsSbBfnrtv0cxu1-9]$/;

/**
 * Why a `pattern` can not be given to `new RegExp(pattern)`, which is what Zod does; undefined when it can. JSON Schema
 * means the `u` flag, and servers in other languages write what only their engine knows: without the flag both
 * are read as plain letters, and valid arguments would be turned away.
 */
export function patternProblem(pattern: string): string | undefined {
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
