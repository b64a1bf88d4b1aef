import { escapeText, sanitizeText } from '@mcp-fittings/toolbox/text';

/**
 * A path of Windows that no other text looks like once it is escaped: what is escaped has two backslashes, a quote or `\u{` where its
 * first backslash is.
 */
const WINDOWS_PATH = /^[A-Za-z]:\\(?![\\"]|u\{)[^"]*[^"\\]$/;

/**
 * Returns the text in quotes. Nothing is truncated or removed; characters that a terminal would act on are escaped, and so are
 * quotes and backslashes, except those of a plain path of Windows.
 */
export function quoteText(text: string): string {
  const isPlainPath = WINDOWS_PATH.test(text) && !text.includes(String.raw`\\`) && escapeText(text) === text;
  if (isPlainPath) return `"${text}"`;
  // `C:` and a tab must not look like C:\tools.
  const escaped = escapeText(text.replace(/["\\]/g, '\\$&'));
  return `"${escaped.replace(/^([A-Za-z]:)\\n/, String.raw`$1\u{a}`).replace(/^([A-Za-z]:)\\t/, String.raw`$1\u{9}`)}"`;
}

/** A name or path made safe to print in one line of a message, truncated at 200 characters. */
export function printable(text: string): string {
  return sanitizeText(text, { maxLength: 200 });
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/**
 * Writes keys and indexes as a field path: `oauth.scopes[0]`, `env["a b"]`. Keys are untrusted, so they are escaped; two
 * different lists of keys never have the same path.
 */
export function fieldPath(keys: readonly PropertyKey[]): string {
  let path = '';
  for (const key of keys) {
    if (typeof key === 'number') path += `[${String(key)}]`;
    else if (typeof key === 'string' && PLAIN_KEY.test(key)) path += path === '' ? key : `.${key}`;
    else path += `[${quoteText(String(key))}]`;
  }
  return path;
}
