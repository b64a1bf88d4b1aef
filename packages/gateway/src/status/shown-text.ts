import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createRedactor, escapeText, type Redactor } from '@mcp-fittings/toolbox/text';

/** Names whose values are secret, wherever they are in an entry. */
const SECRET_NAME =
  /secret|token|passw|passphrase|api-?_?key|private-?_?key|authorization|cookie|credential/i;
/** An argument such as `--token=value`. */
const ASSIGNMENT = /^-{0,2}([\w.-]+)=(.*)$/s;

/** Removes secrets of the entry of a server from a text. Redactors are kept as long as their entries. */
export type EntryRedactor = (entry: ServerConfig, text: string) => string;

/**
 * Creates a function that removes the values of an entry that may be secret: variables of the environment, headers, credentials and
 * query of a URL, arguments that are named like a secret. A server that repeats its own token in an error does not show it to a caller.
 */
export function createEntryRedactor(): EntryRedactor {
  const kept = new WeakMap<ServerConfig, Redactor>();
  return (entry, text) => {
    const redact = kept.get(entry) ?? createRedactor(secretsOf(entry));
    kept.set(entry, redact);
    return redact(text);
  };
}

function secretsOf(entry: ServerConfig): Set<string> {
  const secrets = new Set<string>();
  const add = (value: unknown, isSecret: boolean): void => {
    if (Array.isArray(value)) value.forEach((item, at) => add(item, isSecret || isSecretFlag(value[at - 1])));
    else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) {
        add(member, isSecret || name === 'env' || name === 'headers' || SECRET_NAME.test(name));
      }
    } else if (typeof value === 'string') {
      for (const secret of isSecret ? formsOf(value) : secretsWithin(value)) secrets.add(secret);
    }
  };
  add(entry, false);
  return secrets;
}

function isSecretFlag(argument: unknown): boolean {
  return typeof argument === 'string' && argument.startsWith('-') && SECRET_NAME.test(argument);
}

/** A secret, and what follows the scheme in `Bearer <token>`. */
function formsOf(secret: string): string[] {
  return [secret, secret.replace(/^[\w-]+ +/, '')];
}

function secretsWithin(text: string): string[] {
  const [, name = '', value = ''] = ASSIGNMENT.exec(text) ?? [];
  if (SECRET_NAME.test(name)) return [value];
  if (!URL.canParse(text)) return [];
  const { username, password, searchParams } = new URL(text);
  return [username, password, ...searchParams.values()].map((part) => decoded(part));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A lone percent sign: the redactor finds it as it is.
    return part;
  }
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
