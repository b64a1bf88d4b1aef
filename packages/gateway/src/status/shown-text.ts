import type { ServerConfig } from '@mcp-fittings/client-core';
import { secretsOfEntry } from '@mcp-fittings/toolbox/entries';
import { createRedactor, escapeText, type Redactor } from '@mcp-fittings/toolbox/text';

/** Removes secrets of the entry of a server from a text. Redactors are kept as long as their entries. */
export type EntryRedactor = (entry: ServerConfig, text: string) => string;

/**
 * Creates a function that removes the values of an entry that may be secret. A server that repeats its own token in an error does not
 * show it to a caller.
 */
export function createEntryRedactor(): EntryRedactor {
  const kept = new WeakMap<ServerConfig, Redactor>();
  return (entry, text) => {
    const redact = kept.get(entry) ?? createRedactor(secretsOfEntry(entry));
    kept.set(entry, redact);
    return redact(text);
  };
}

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
