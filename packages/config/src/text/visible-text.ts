import { sanitizeText } from '@mcp-fittings/client-core';

/**
 * The whole text in quotes, nothing cut and nothing dropped: what core's sanitiser would remove (escape sequences,
 * line feeds, invisible and direction-changing characters) stands there as an escape such as `\u{202e}`.
 */
export function visibleText(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/gu, visibleCharacter);
  return `"${escaped}"`;
}

function visibleCharacter(character: string): string {
  if (sanitizeText(character) === character) return character;
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A short name or path made fit for one line of a message. */
export function shown(text: string): string {
  return sanitizeText(text, { maxLength: 200 });
}
