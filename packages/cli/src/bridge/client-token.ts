import { randomBytes } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import { assertKeepsItsPlace, readPrivateFile } from '@mcp-fittings/toolbox/files';
import { CommandError } from '../output/hints.js';
import type { Output } from '../output/output.js';

/** The token that clients must send. */
export interface ClientToken {
  readonly value: string;
  /** True if the user has given none, and does not know it yet. */
  readonly isNew: boolean;
}

/** Shows a new token to the user, once, and hides every token from what is printed later. */
export function announceToken({ value, isNew }: ClientToken, output: Pick<Output, 'note' | 'hide'>): void {
  if (isNew) output.note(`Clients must send this header: Authorization: Bearer ${value}`);
  output.hide([value]);
}

/** Fewest characters, as `bearerToken()` of the gateway requires. */
const SHORTEST_TOKEN = 32;

/**
 * Returns the token that the user has given, in `--token-file` or else in a variable of the environment, or a new one. Rejects with
 * `CONFIG_INVALID` if it is short, cannot be read or cannot be sent, and with `STORE_INSECURE` if another user could read or replace its
 * file.
 */
export async function clientToken(
  file: string | undefined,
  variable: string | undefined,
): Promise<ClientToken> {
  const token = file === undefined ? variable : await readTokenFile(file);
  if (token === undefined) return { value: randomBytes(32).toString('base64url'), isNew: true };
  const refuse = (why: string): FittingsError =>
    new CommandError('CONFIG_INVALID', `The token ${why}.`, {
      hint: 'Generate one, for example: openssl rand -hex 32',
    });
  if (!/^[!-~]*$/.test(token)) throw refuse('contains a character that a header cannot carry');
  if (token.length < SHORTEST_TOKEN) throw refuse(`is shorter than ${SHORTEST_TOKEN} characters`);
  return { value: token, isNew: false };
}

/** The file is as private as those of credential stores. Spaces and line ends around the token do not count. */
async function readTokenFile(file: string): Promise<string> {
  let text: string | undefined;
  try {
    text = await readPrivateFile(file);
    if (text !== undefined) assertKeepsItsPlace(file);
  } catch (cause) {
    if (!(cause instanceof FittingsError)) throw unreadable(cause);
    throw new CommandError(cause.code, cause.message, {
      cause,
      hint: `Run: chmod go= ${JSON.stringify(file)}, and chmod go-w for its folders. If others may have read the token, replace it.`,
    });
  }
  if (text === undefined) throw unreadable();
  return text.trim();
}

function unreadable(cause?: unknown): FittingsError {
  return new CommandError('CONFIG_INVALID', 'Cannot read the file given by --token-file.', { cause });
}
