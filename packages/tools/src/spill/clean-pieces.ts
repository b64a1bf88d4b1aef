import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { isPair } from './cut-text.js';

/** UTF-16 units that are sanitized at once: about a millisecond of work. */
const PIECE_LENGTH = 131_072;
/** An escape sequence is at most a little longer. */
const MAX_SEQUENCE_LENGTH = 4_200;
/** The usual text needs no sanitizing. */
const UNUSUAL = /[^\n\t\u0020-\u007e]/;

/**
 * Sanitizes text of any length as `sanitizeText` does, piece by piece, so that a caller can let other work run in between. No
 * piece ends within an escape sequence, a line break or a surrogate pair.
 */
export function* cleanPieces(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length;) {
    const to = endOfPiece(text, from);
    const piece = text.slice(from, to);
    yield UNUSUAL.test(piece) ? sanitizeText(piece, { maxLength: Infinity, multiline: true }) : piece;
    from = to;
  }
}

function endOfPiece(text: string, from: number): number {
  const end = from + PIECE_LENGTH;
  if (end >= text.length) return text.length;
  for (let at = end - 1; at > end - MAX_SEQUENCE_LENGTH; at--) {
    const code = text.charCodeAt(at);
    // ESC, and the C1 controls that begin a sequence in one character.
    if (code === 0x1b || (code >= 0x80 && code <= 0x9f)) return at;
  }
  return text.charCodeAt(end - 1) === 0x0d || isPair(text, end) ? end - 1 : end;
}
