/**
 * Compiles a pattern as JSON Schema means it: with the `u` flag, so that a character beyond U+FFFF is one character. Many servers
 * write patterns that are valid only without the flag, such as `[\w\-]`.
 */
export function regularExpression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
