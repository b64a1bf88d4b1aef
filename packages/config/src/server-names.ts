/** Longest name of a server, so that the names of its tools fit the limits of model APIs. */
export const MAX_SERVER_NAME_LENGTH = 64;

/** The rule as a pattern of its own, for the schema that editors use. */
export const NAME_PATTERN = '^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$';

const RULE = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const MEANINGFUL_TO_JAVASCRIPT: ReadonlySet<string> = new Set(['constructor', 'prototype']);

/**
 * The one rule for names: 1 to 64 ASCII letters, digits, `.`, `-` or `_`, first and last a letter or digit, and no
 * two `_` in a row, because `mcp__server__tool` must have one reading. Undefined when the name keeps it.
 */
export function checkServerName(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > MAX_SERVER_NAME_LENGTH)
    return `is longer than ${String(MAX_SERVER_NAME_LENGTH)} characters`;
  if (name.includes('__')) return 'has two underscores in a row';
  if (!RULE.test(name)) {
    return 'may hold only ASCII letters, digits, ".", "-" and "_", and begins and ends with a letter or digit';
  }
  return MEANINGFUL_TO_JAVASCRIPT.has(name) ? 'is a name that JavaScript gives a meaning to' : undefined;
}

/** The nearest name that keeps the rule; undefined when nothing of it can be kept. */
export function suggestServerName(name: string): string | undefined {
  const suggestion = name
    .slice(0, MAX_SERVER_NAME_LENGTH * 4)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .slice(0, MAX_SERVER_NAME_LENGTH)
    .replace(/^[._-]+|[._-]+$/g, '');
  return suggestion !== '' && checkServerName(suggestion) === undefined ? suggestion : undefined;
}

/** Equal for names that a person can mistake for one another: case, `l` `I` `1`, `O` `0`, `-` `_` `.`. */
export function nameSkeleton(name: string): string {
  return name
    .replace(/[Il1|]/g, 'i')
    .replace(/[O0]/g, 'o')
    .replace(/[._-]/g, '-')
    .toLowerCase();
}
