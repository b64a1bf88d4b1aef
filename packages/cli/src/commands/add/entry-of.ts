import { FittingsError, isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import { headerPairs } from '../../arguments/header-pairs.js';
import { readTextArgument } from '../../arguments/read-text-argument.js';
import { textPairs } from '../../arguments/text-pairs.js';
import type { CommandContext } from '../../command-context.js';
import type { AddOptions } from './command.js';

/** The entry that the command line describes; whether it can work is for the editor to say. */
export async function entryOf(
  context: CommandContext,
  words: readonly string[],
  options: AddOptions,
): Promise<ServerConfig> {
  const { cwd, clientId, oauthScope: scopes, callbackPort: port, disabled } = options;
  const { command, args, url } = commandOrUrl(words, options.url);
  const type = options.type ?? options.transport ?? (/^wss?:/i.test(url ?? '') ? 'ws' : undefined);
  const oauth = {
    ...(clientId !== undefined && { clientId }),
    ...(scopes.length > 0 && { scopes }),
    ...(port !== undefined && { callbackPort: Number(port) }),
  };
  if (url !== undefined && !URL.canParse(url) && !url.includes('${')) {
    throw new FittingsError('ARGUMENTS_INVALID', '--url must be an absolute URL.', {
      hint: 'Start it with https:// or, on this machine, http://.',
    });
  }
  const env = textPairs(options.env);
  const headers = headerPairs(options.header);
  return {
    ...(options.entry !== undefined && (await jsonEntry(options.entry, context))),
    ...(type !== undefined && { type }),
    ...(command !== undefined && { command }),
    ...(args.length > 0 && { args }),
    ...(url !== undefined && { url }),
    ...(cwd !== undefined && { cwd }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
    ...(disabled && { disabled }),
  };
}

/** `add name https://…`, as `claude mcp add` and others have it, is a remote server and not a program. */
function commandOrUrl(
  [command, ...args]: readonly string[],
  url: string | undefined,
): {
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly url?: string | undefined;
} {
  if (command === undefined || !/^(?:https?|wss?):\/\//i.test(command)) return { command, args, url };
  if (url === undefined && args.length === 0) return { args, url: command };
  throw new FittingsError(
    'ARGUMENTS_INVALID',
    url === undefined
      ? 'Unexpected arguments after the URL of the server.'
      : 'The URL of the server is given twice, by --url and as an argument.',
    { hint: 'Use: fittings add <name> <url>, with options such as --header.' },
  );
}

async function jsonEntry(text: string, context: CommandContext): Promise<ServerConfig> {
  let value: unknown;
  try {
    value = JSON.parse(await readTextArgument(text, context));
  } catch (cause) {
    if (cause instanceof FittingsError) throw cause;
    throw new FittingsError('ARGUMENTS_INVALID', '--entry is not valid JSON.', { cause });
  }
  if (isRecord(value)) return value;
  throw new FittingsError('ARGUMENTS_INVALID', '--entry must be a JSON object.');
}
