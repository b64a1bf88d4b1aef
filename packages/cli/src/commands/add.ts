import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { headerPairs, readTextArgument, textPairs } from '../arguments/option-values.js';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { oauthMember } from '../session/resolve-server.js';
import { isSharedScope, openWorkspace, scopeFor } from '../session/workspace.js';
import { withAbsolutePaths } from './add-paths.js';
import { secretNotes } from './config-notes.js';

export interface AddOptions {
  readonly scope?: string;
  readonly type?: string;
  /** Alias of `--type`. */
  readonly transport?: string;
  readonly url?: string;
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly cwd?: string;
  readonly clientId?: string;
  readonly oauthScope: readonly string[];
  readonly account?: string;
  readonly callbackPort?: string;
  readonly entry?: string;
  readonly disabled: boolean;
  readonly replace: boolean;
}

interface NewServer {
  readonly name: string;
  readonly entry: ServerConfig;
  readonly scope: string | undefined;
}

export async function add(
  deps: CommandDeps,
  name: string | undefined,
  command: readonly string[],
  options: AddOptions,
): Promise<void> {
  const { output } = deps;
  const server = await newServer(deps, name, command, options);
  const scope = scopeFor(deps, server.scope);
  const { editor } = await openWorkspace(deps);
  // A server of the project starts in the project, on any machine.
  const { entry, changed } = isSharedScope(deps, scope)
    ? { entry: server.entry, changed: new Map<string, string>() }
    : await withAbsolutePaths(server.entry, deps.cwd);
  const { file } = await editor.addServer({ name: server.name, scope, entry, replace: options.replace });
  output.result(
    { name: server.name, scope, file },
    () => `Added ${output.style.bold(server.name)} to ${printable(file)} (${scope}).`,
  );
  for (const [typed, path] of changed)
    output.note(`${printable(typed)} became ${printable(path)}: the server does not start in this folder.`);
  for (const note of secretNotes(entry)) output.note(output.noteStyle.yellow(note));
  if (!output.json) output.note(output.noteStyle.dim(`Check its status: fittings status ${server.name}`));
}

async function newServer(
  deps: CommandDeps,
  name: string | undefined,
  command: readonly string[],
  options: AddOptions,
): Promise<NewServer> {
  const { scope } = options;
  const entry = await entryFromOptions(deps, command, options);
  // That of a third-party transport has fields of its own.
  const isWhole = entry.command !== undefined || entry.url !== undefined || options.entry !== undefined;
  if (name !== undefined && isWhole) return { name, entry, scope };
  if (deps.interactive) {
    const { askForServer } = await import('./add-prompts.js');
    return askForServer(deps, { name, entry, isWhole, scope });
  }
  throw new CommandError('ARGUMENTS_INVALID', 'A new server needs a name, and a command or a URL.', {
    hint: 'See fittings add --help.',
  });
}

/** Builds the entry that the command line describes. The editor validates it. */
async function entryFromOptions(
  deps: CommandDeps,
  words: readonly string[],
  options: AddOptions,
): Promise<ServerConfig> {
  const { cwd, callbackPort: port, disabled } = options;
  const { command, args, url } = commandOrUrl(words, options.url);
  const type = options.type ?? options.transport ?? (/^wss?:/i.test(url ?? '') ? 'ws' : undefined);
  if (url !== undefined && !URL.canParse(url) && !url.includes('${')) {
    throw new CommandError('ARGUMENTS_INVALID', '--url must be an absolute URL.', {
      hint: 'Start it with https:// or, on this machine, http://.',
    });
  }
  const env = textPairs(options.env);
  const headers = headerPairs(options.header);
  return {
    ...(options.entry !== undefined && (await jsonEntry(options.entry, deps))),
    ...(type !== undefined && { type }),
    ...(command !== undefined && { command }),
    ...(args.length > 0 && { args }),
    ...(url !== undefined && { url }),
    ...(cwd !== undefined && { cwd }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...oauthMember(options, port === undefined ? undefined : Number(port)),
    ...(disabled && { disabled }),
  };
}

/** A host and a path or a port, as people copy them from the address bar of a browser. */
const ADDRESS = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+(?:\/\S*)?|\/\S*)$/i;

/** `add name https://…` adds a remote server, as with `claude mcp add`, and not a program. */
function commandOrUrl(
  [command, ...args]: readonly string[],
  url: string | undefined,
): {
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly url?: string | undefined;
} {
  if (command !== undefined && args.length === 0 && ADDRESS.test(command)) {
    throw new CommandError(
      'ARGUMENTS_INVALID',
      `"${printable(command)}" looks like a URL without https://.`,
      {
        hint: `Write https://${printable(command)}. For a program in a folder of this name, write ./${printable(command)}.`,
      },
    );
  }
  if (command === undefined || !/^(?:https?|wss?|unix|pipe):\/\//i.test(command))
    return { command, args, url };
  if (url === undefined && args.length === 0) return { args, url: command };
  throw new CommandError(
    'ARGUMENTS_INVALID',
    url === undefined
      ? 'Unexpected arguments after the URL of the server.'
      : 'The URL of the server is given twice: with --url and as an argument.',
    { hint: 'Use: fittings add <name> <url>, with options such as --header.' },
  );
}

async function jsonEntry(text: string, deps: CommandDeps): Promise<ServerConfig> {
  let value: unknown;
  try {
    value = JSON.parse(await readTextArgument(text, deps));
  } catch (cause) {
    if (cause instanceof FittingsError) throw cause;
    throw new CommandError('ARGUMENTS_INVALID', '--entry is not valid JSON.', { cause });
  }
  if (isRecord(value)) return value;
  throw new CommandError('ARGUMENTS_INVALID', '--entry must be a JSON object.');
}
