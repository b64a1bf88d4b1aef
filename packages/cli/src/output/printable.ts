import { sanitizeText } from '@mcp-fittings/client-core';

/** A stranger's text on one line, fit for a terminal. */
export function printable(text: string, maxLength = 500): string {
  return sanitizeText(text, { maxLength }).trim();
}

/** A stranger's text of several lines, fit for a terminal. */
export function printableBlock(text: string, maxLength = 100_000): string {
  return sanitizeText(text, { maxLength, multiline: true });
}

/** The first sentence or line of a description. */
export function firstLine(text: string | undefined, maxLength = 200): string {
  const line = (text ?? '').trimStart().split(/\n|(?<=\.)\s/, 1)[0] ?? '';
  return printable(line, maxLength);
}

/** What a terminal would act on, or a person could not see. `JSON.stringify` escapes only the ASCII part of it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * JSON that means the same and is fit for a terminal: invisible and direction-changing characters are written as `\u`
 * escapes.
 */
export function jsonText(value: unknown, indent?: number): string {
  // A value that JSON knows nothing of, such as `undefined`, is written as null.
  const text: string | undefined = JSON.stringify(value, undefined, indent);
  return (text ?? 'null').replaceAll(UNSEEN, (character) => {
    // Between tokens the only ones are our own line feeds.
    if (character === '\n') return character;
    return Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join('');
  });
}
