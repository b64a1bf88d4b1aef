import { sanitizeText } from '@mcp-fittings/client-core/text';

/** A stranger's text on one line, fit for a terminal. */
export function shown(text: string, maxLength = 500): string {
  return sanitizeText(text, { maxLength }).trim();
}

/** A stranger's text of several lines, fit for a terminal. */
export function shownBlock(text: string, maxLength = 100_000): string {
  return sanitizeText(text, { maxLength, multiline: true });
}

/** The first sentence or line of a description. */
export function firstLine(text: string | undefined, maxLength = 200): string {
  const line = (text ?? '').trimStart().split(/\n|(?<=\.)\s/, 1)[0] ?? '';
  return shown(line, maxLength);
}
