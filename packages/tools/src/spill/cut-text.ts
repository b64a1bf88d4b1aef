/** A grapheme that is longer, such as a letter with hundreds of accents, is cut. */
const MAX_GRAPHEME_LENGTH = 64;
/** Share of a page that is given up so that it ends with a line. */
const LINE_SHARE = 0.2;

/**
 * Returns where a page that begins at 0 ends: after at most `length` UTF-16 units, after a whole line if one ends near there,
 * and never within a surrogate pair or a grapheme. At least one character, so that reading on always advances.
 * @param text The page and some of what follows it.
 */
export function endOfPage(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const line = text.lastIndexOf('\n', length - 1) + 1;
  if (line > 0 && line >= length * (1 - LINE_SHARE)) return line;
  const end = graphemeStart(text, length);
  if (end > 0) return end;
  const cut = isPair(text, length) ? length - 1 : length;
  return cut > 0 ? cut : 2;
}

/** Returns `at`, or the beginning of the grapheme that contains it. 0 if that is the beginning of the text. */
function graphemeStart(text: string, at: number): number {
  const from = Math.max(0, at - MAX_GRAPHEME_LENGTH);
  const near = text.slice(from, at + MAX_GRAPHEME_LENGTH);
  const segment = new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(near).containing(at - from);
  const start = segment === undefined ? at : from + segment.index;
  // A grapheme that fills the whole window has no beginning here.
  return start > from || from === 0 ? start : isPair(text, at) ? at - 1 : at;
}

/** Returns whether `at` is between the halves of a surrogate pair. */
export function isPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
