import { atCharacter, isPlain, UNPRINTABLE } from './sanitize-text.js';

/** Options of {@link escapeText}. */
export interface EscapeTextOptions {
  /** Longest part of the text that is shown, in UTF-16 units. Default: all of it. */
  readonly maxLength?: number | undefined;
  /** Keep line feeds as they are. Default false: a line feed becomes `\n`. */
  readonly multiline?: boolean | undefined;
}

/**
 * Makes untrusted text safe to show to a person who decides by it. Nothing is removed: control, invisible and
 * direction-changing characters, and marks that cover others, appear as escapes such as `\u{202e}`, and a cut says how much is missing:
 * `… (1234 more characters)`. For text that only informs, use {@link sanitizeText}.
 *
 * @example
 * ```ts
 * escapeText('rm\u202e -rf'); // 'rm\\u{202e} -rf'
 * ```
 */
export function escapeText(text: string, options: EscapeTextOptions = {}): string {
  const { maxLength = Infinity, multiline = false } = options;
  const kept = text.length > maxLength ? text.slice(0, atCharacter(text, maxLength)) : text;
  const escaped = isPlain(kept)
    ? kept
    : kept.replace(hiding(), (character) => {
        if (character === '\n') return multiline ? character : '\\n';
        if (character === '\t') return '\\t';
        return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
      });
  const missing = text.length - kept.length;
  return missing === 0 ? escaped : `${escaped}… (${missing} more characters)`;
}

/**
 * Matches what a person cannot see or tell from something else: what is unprintable, the braille blank, characters that Unicode
 * does not know, and marks that strike a character through or enclose it. A mark without a letter joins what stands before it, such as the
 * quote around the text, and more than four on one letter, which no writing needs, cover other lines.
 */
function hiding(): RegExp {
  const marks = String.raw`[\u2800\p{Cn}\p{Me}\u0334-\u0338\u20d0-\u20ff]|(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=\p{M}{4})\p{M}`;
  return new RegExp(`${UNPRINTABLE}|${marks}`, 'gu');
}
