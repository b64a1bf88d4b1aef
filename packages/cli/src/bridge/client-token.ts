import { readFile } from 'node:fs/promises';
import { CommandError } from '../output/hints.js';

/** Where the token of clients comes from. */
export interface ClientTokenOptions {
  /** `--token-file`. Default: the variable. */
  readonly file: string | undefined;
  /** Value of the environment variable. */
  readonly variable: string | undefined;
  /** Fewest characters. */
  readonly minLength: number;
}

/** Reads the token that clients must send. Rejects with `CONFIG_INVALID` if it is short or cannot be read. */
export async function readClientToken(options: ClientTokenOptions): Promise<string | undefined> {
  const { file, variable, minLength } = options;
  const token = file === undefined ? variable : await readTokenFile(file);
  if (token === undefined || token.length >= minLength) return token;
  throw new CommandError('CONFIG_INVALID', `The token is shorter than ${minLength} characters.`, {
    hint: 'Generate one, for example: openssl rand -hex 32',
  });
}

async function readTokenFile(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new CommandError('CONFIG_INVALID', 'Cannot read the file given by --token-file.', { cause });
  }
}
