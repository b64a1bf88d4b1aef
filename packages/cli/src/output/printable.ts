import { sanitizeText } from '@mcp-fittings/toolbox/text';

/** Returns text of a server or a file on one line, safe for a terminal. */
export function printable(text: string, maxLength = 500): string {
  return sanitizeText(text, { maxLength }).trim();
}

/** Returns text of a server or a file with its lines, safe for a terminal. */
export function printableBlock(text: string, maxLength = 100_000): string {
  return sanitizeText(text, { maxLength, multiline: true });
}

/** Returns `1 server`, `2 servers`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the first sentence or line of a description. */
export function firstLine(text: string | undefined, maxLength = 200): string {
  const line = (text ?? '').trimStart().split(/\n|(?<=\.)\s/, 1)[0] ?? '';
  return printable(line, maxLength);
}

/** Returns JSON that is safe for a terminal: control, invisible and bidirectional characters are `\u` escapes. */
export function jsonText(value: unknown, indent?: number): string {
  // A value without a JSON form, such as `undefined`, is written as null.
  const text: string | undefined = JSON.stringify(value, undefined, indent);
  // Control characters and invisible characters: `JSON.stringify` escapes only those of ASCII. To read these tables takes half a
  // millisecond, and most runs print no JSON.
  const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return (text ?? 'null').replaceAll(unseen, (character) => {
    // Line feeds occur only between tokens.
    if (character === '\n') return character;
    return Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join('');
  });
}
