import { escapeText, sanitizeText } from '@mcp-fittings/toolbox/text';

/** The text in quotes. Nothing is truncated or removed; characters that a terminal would act on are escaped. */
export function quoteText(text: string): string {
  return `"${escapeText(text.replace(/["\\]/g, '\\$&'))}"`;
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
