/** Maximum length of a server name, in characters, so that `mcp__server__tool` fits the limits of model APIs. */
export const MAX_SERVER_NAME_LENGTH = 64;

/** The rule as one regular expression, for the JSON Schema. */
export const NAME_PATTERN = '^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$';

const RULE = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const MEANINGFUL_TO_JAVASCRIPT: ReadonlySet<string> = new Set(['constructor', 'prototype']);

/**
 * Checks the name of a server. A valid name has 1 to 64 ASCII letters, digits, `.`, `-` or `_`,
 * begins and ends with a letter or digit, and has no two `_` in a row, because `mcp__server__tool` must be unambiguous.
 * Returns undefined for a valid name, else the reason as the predicate of a sentence: `is empty`.
 *
 * @example
 * ```ts
 * const reason = checkServerName('my server');
 * if (reason !== undefined) console.error(`The name ${reason}. Try ${suggestServerName('my server') ?? 'another one'}.`);
 * ```
 */
export function checkServerName(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > MAX_SERVER_NAME_LENGTH)
    return `is longer than ${String(MAX_SERVER_NAME_LENGTH)} characters`;
  if (name.includes('__')) return 'has two underscores in a row';
  if (!RULE.test(name)) {
    return 'must begin and end with an ASCII letter or digit and contain only ASCII letters, digits, ".", "-" and "_"';
  }
  return MEANINGFUL_TO_JAVASCRIPT.has(name) ? 'has a special meaning in JavaScript' : undefined;
}

/** Returns a valid name that is similar to `name`; undefined if none of its characters can be kept. */
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

/** The same text for names that are easily confused: they differ in case, `l` `I` `1`, `O` `0`, or `-` `_` `.`. */
export function nameSkeleton(name: string): string {
  return name
    .replace(/[Il1|]/g, 'i')
    .replace(/[O0]/g, 'o')
    .replace(/[._-]/g, '-')
    .toLowerCase();
}
