import { escapeText, sanitizeText } from '@mcp-fittings/client-core/text';

/** The whole text in quotes: nothing is cut and nothing is removed, and what a terminal would act on is escaped. */
export function visibleText(text: string): string {
  return `"${escapeText(text.replace(/["\\]/g, '\\$&'))}"`;
}

/** A short name or path made fit for one line of a message. */
export function shown(text: string): string {
  return sanitizeText(text, { maxLength: 200 });
}
