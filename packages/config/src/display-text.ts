import { escapeText, sanitizeText } from '@mcp-fittings/client-core';

/** The whole text in quotes: nothing is cut and nothing is removed, and what a terminal would act on is escaped. */
export function quoteText(text: string): string {
  return `"${escapeText(text.replace(/["\\]/g, '\\$&'))}"`;
}

/** A short name or path made fit for one line of a message. */
export function printable(text: string): string {
  return sanitizeText(text, { maxLength: 200 });
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/**
 * Writes keys and indexes the way a person would: `oauth.scopes[0]`, `env["a b"]`. Keys come from strangers, so the
 * path is fit to show, and different keys never give the same path.
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
