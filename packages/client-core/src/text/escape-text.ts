import { replaceUnprintable } from './sanitize-text.js';

/** Options of {@link escapeText}. */
export interface EscapeTextOptions {
  /** Longest part of the text that is shown, in UTF-16 units. Default: all of it. */
  readonly maxLength?: number | undefined;
  /** Keep line feeds as they are. Default false: a line feed becomes `\n`. */
  readonly multiline?: boolean | undefined;
}

/**
 * Makes untrusted text safe to show to a person who decides by it. Nothing is removed: control, invisible and
 * direction-changing characters appear as escapes such as `\u{202e}`, and a cut says how much is missing:
 * `… (1234 more characters)`. For text that only informs, use {@link sanitizeText}.
 *
 * @example
 * ```ts
 * escapeText('rm\u202e -rf'); // 'rm\\u{202e} -rf'
 * ```
 */
export function escapeText(text: string, options: EscapeTextOptions = {}): string {
  const { maxLength = Infinity, multiline = false } = options;
  const kept = text.length > maxLength ? text.slice(0, endOfCut(text, maxLength)) : text;
  const escaped = replaceUnprintable(kept, (character) => {
    if (character === '\n') return multiline ? character : '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
  const missing = text.length - kept.length;
  return missing === 0 ? escaped : `${escaped}… (${String(missing)} more characters)`;
}

/** Never through a surrogate pair. */
function endOfCut(text: string, maxLength: number): number {
  const last = text.charCodeAt(maxLength - 1);
  return last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength;
}
