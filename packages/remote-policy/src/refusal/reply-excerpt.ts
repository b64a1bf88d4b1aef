import { sanitizeText, type Redactor } from '@mcp-fittings/client-core/transport';

/** More of a text is not searched for words. */
const SEARCHED = 64 * 1024;
const HTML = /^\s*(?:<!--|<!doctype html|<html|<head|<body)/i;

/**
 * The beginning of what a server said, fit to inform in an error: without our secrets, which it may repeat, without control
 * characters, and of an HTML page its text only. Secrets go first, so that no part of one is left over where the text is cut.
 */
export function replyExcerpt(text: string, redact: Redactor, maxLength: number): string {
  const masked = redact(text.slice(0, SEARCHED), 'end');
  const words = HTML.test(masked) ? textOfPage(masked) : masked;
  return sanitizeText(words, { maxLength }).trim();
}

/** Title and text of a page. Linear in its length: no pattern here looks past the next `<`. */
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
  // Lower case may be longer than the text was, in some languages: then nothing is cut.
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
