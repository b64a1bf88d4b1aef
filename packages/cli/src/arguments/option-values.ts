import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';

/**
 * Parses `--header` options of the form `Name: value`. Throws `ARGUMENTS_INVALID`, whose message does not repeat the
 * value.
 */
export function headerPairs(headers: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    headers.map((header) => {
      const at = header.indexOf(':');
      if (at <= 0) {
        throw new CommandError('ARGUMENTS_INVALID', 'A --header must have the form "Name: value".');
      }
      return [header.slice(0, at).trim(), header.slice(at + 1).trim()];
    }),
  );
}

/** Parses `name=value` options whose values are strings. Throws `ARGUMENTS_INVALID`. */
export function textPairs(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) {
        throw new CommandError('ARGUMENTS_INVALID', `"${pair}" is not in the form name=value.`, {
          delivery: 'not-sent',
        });
      }
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Resolves an argument that is `@file`, `-` for stdin, or the text itself. Rejects with `ARGUMENTS_INVALID`. */
export async function readTextArgument(text: string, deps: CommandDeps): Promise<string> {
  if (text === '-') return readAll(deps.stdin);
  if (!text.startsWith('@')) return text;
  try {
    return await readFile(resolve(deps.cwd, text.slice(1)), 'utf8');
  } catch (cause) {
    throw new CommandError('ARGUMENTS_INVALID', `Cannot read the file "${text.slice(1)}".`, { cause });
  }
}

async function readAll(stream: CommandDeps['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString('utf8');
}
