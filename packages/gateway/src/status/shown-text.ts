import { escapeText } from '@mcp-fittings/toolbox/text';

/** Longest name and message, in UTF-16 units. */
const MAX_NAME = 200;
const MAX_MESSAGE = 500;

/** Returns a name as it is shown: bounded, with escapes for what cannot be seen. */
export function shownName(text: string): string {
  return escapeText(text, { maxLength: MAX_NAME });
}

/** Returns a message as it is shown, on one line. */
export function shownMessage(text: string): string {
  // Escapes for line feeds would be read as part of the message.
  const start = text.slice(0, MAX_MESSAGE * 2).replace(/\s*[\r\n]\s*/g, ' ');
  return escapeText(start.trim() + text.slice(MAX_MESSAGE * 2), { maxLength: MAX_MESSAGE });
}
