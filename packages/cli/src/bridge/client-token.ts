import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { assertKeepsItsPlace, readPrivateFile } from '@mcp-fittings/toolbox/files';
import { CommandError } from '../output/hints.js';

/** Says where the token of clients comes from. */
export interface ClientTokenOptions {
  /** `--token-file`. Default: the variable. */
  readonly file: string | undefined;
  /** Value of the environment variable. */
  readonly variable: string | undefined;
  /** Fewest characters. */
  readonly minLength: number;
}

/**
 * Reads the token that clients must send. Rejects with `CONFIG_INVALID` if it is short, cannot be read or cannot be sent, and with
 * `STORE_INSECURE` if another user could read or replace its file.
 */
export async function readClientToken(options: ClientTokenOptions): Promise<string | undefined> {
  const { file, variable, minLength } = options;
  const token = file === undefined ? variable : await readTokenFile(file);
  if (token === undefined) return undefined;
  const refuse = (why: string): FittingsError =>
    new CommandError('CONFIG_INVALID', `The token ${why}.`, {
      hint: 'Generate one, for example: openssl rand -hex 32',
    });
  if (!/^[!-~]*$/.test(token)) throw refuse('contains a character that a header cannot carry');
  if (token.length < minLength) throw refuse(`is shorter than ${minLength} characters`);
  return token;
}

/** The file is as private as those of credential stores. Spaces and line ends around the token do not count. */
async function readTokenFile(file: string): Promise<string> {
  let text: string | undefined;
  try {
    text = await readPrivateFile(file);
    if (text !== undefined) assertKeepsItsPlace(resolve(file));
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
