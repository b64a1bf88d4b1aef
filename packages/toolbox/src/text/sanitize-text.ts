/**
 * Characters of untrusted text that must not reach a terminal or a prompt: C0 and C1 controls, bidirectional overrides,
 * zero-width and other invisible characters, the tag block, private use, lone surrogates.
 */
export const UNPRINTABLE = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

/** Returns whether a text is one line of ASCII. Most texts need no tables of Unicode, which take 0.5 ms to read. */
export function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * Escape sequences are removed as a whole, so that no printable rests stay. Those that contain a string (titles, links) come
 * first, because their beginning looks like one of the others.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-48/ section 5
 */
// oxlint-disable no-control-regex -- control characters are the point
const ESCAPE_SEQUENCE =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/gu;
// oxlint-enable no-control-regex

/** Options of {@link sanitizeText}. */
export interface SanitizeOptions {
  /** Longest result in UTF-16 units, including the final `…` of a cut. Default 500. */
  readonly maxLength?: number | undefined;
  /** Keep line feeds and tabs. Default false: they become a space. */
  readonly multiline?: boolean | undefined;
}

/**
 * Makes untrusted text safe to show: removes control sequences, invisible and direction-changing characters, and limits the
 * length. Takes time linear in `maxLength`, not in the length of the text. Where a person decides by the text, use
 * {@link escapeText}.
 */
export function sanitizeText(text: string, options: SanitizeOptions = {}): string {
  const { maxLength = 500, multiline = false } = options;
  if (text.length <= maxLength && isPlain(text)) return text;
  // Twice the length, because removed characters make room, but a megabyte of escapes is not searched.
  const window = text.length > maxLength * 2 + 64 ? text.slice(0, maxLength * 2 + 64) : text;
  const withoutSequences = window.replace(ESCAPE_SEQUENCE, '').replace(/\r\n?/g, '\n');
  const clean = withoutSequences.replace(new RegExp(UNPRINTABLE, 'gu'), (character) => {
    if (character === '\n' || character === '\t') return multiline ? character : ' ';
    return '';
  });
  return truncateText(window.length < text.length ? `${clean}${ELLIPSIS}` : clean, maxLength);
}

const ELLIPSIS = '…';

/** Cuts text to `maxLength` UTF-16 units, including the final `…`, and never within a surrogate pair. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength <= 0) return '';
  return text.slice(0, atCharacter(text, maxLength - 1)) + ELLIPSIS;
}

/** Returns this index or the one before it, never one within a surrogate pair. */
export function atCharacter(text: string, place: number): number {
  const before = text.charCodeAt(place - 1);
  return before >= 0xd800 && before <= 0xdbff ? place - 1 : place;
}
