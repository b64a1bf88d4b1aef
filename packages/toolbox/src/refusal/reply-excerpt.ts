import { type Redactor } from '../text/redact.js';
import { sanitizeText } from '../text/sanitize-text.js';

/** Characters of the text that are examined at all. */
const SEARCHED = 64 * 1024;
const HTML = /^\s*(?:<!--|<!doctype html|<html|<head|<body)/i;

/**
 * Returns the beginning of a server's reply for use in an error message: without secrets that the server may repeat, without
 * control characters, and without the markup of an HTML page. Secrets are removed before the text is cut, so that no part of
 * one remains at the end.
 */
export function replyExcerpt(text: string, redact: Redactor, maxLength: number): string {
  const masked = redact(text.slice(0, SEARCHED), 'end');
  const words = HTML.test(masked) ? textOfPage(masked) : masked;
  return sanitizeText(words, { maxLength }).trim();
}

/** Title and text of a page. Linear in its length: no pattern here reads past the next `<`. */
function textOfPage(html: string): string {
  const visible = ['script', 'style', 'svg', 'template'].reduce(withoutElement, withoutComments(html));
  return visible
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|nbsp|#39|#x27);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
};

function withoutComments(html: string): string {
  return without(html, html, '<!--', '-->');
}

function withoutElement(html: string, name: string): string {
  return without(html, html.toLowerCase(), `<${name}`, `</${name}`);
}

/** `searched` has the same length as `text`. */
function without(text: string, searched: string, from: string, to: string): string {
  // In some languages the lower-case text is longer than the original; nothing is cut then.
  if (searched.length !== text.length) return text;
  let kept = '';
  let at = 0;
  for (;;) {
    const start = searched.indexOf(from, at);
    if (start === -1) return kept + text.slice(at);
    kept += text.slice(at, start);
    const end = searched.indexOf(to, start + from.length);
    if (end === -1) return kept;
    at = end + (to === '-->' ? to.length : 0);
  }
}
