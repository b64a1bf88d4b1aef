import type { ServerConfig } from '@mcp-fittings/client-core';
import { checkServerName, suggestServerName } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { type Prompts, openPrompts } from '../prompts/prompts.js';
import { writableScopes } from '../session/workspace.js';

const SCOPE_HINTS: Readonly<Record<string, string>> = {
  user: 'for you, in every project',
  local: 'for you, in this project',
  project: 'in the repository, for everyone who works on it',
};

/**
 * Asks the user for what is missing of a new server: its name, its scope and, unless the entry `isWhole`, its command or URL.
 */
export async function askForServer(
  deps: CommandDeps,
  {
    name,
    entry,
    isWhole,
    scope,
  }: {
    readonly name: string | undefined;
    readonly entry: ServerConfig;
    readonly isWhole: boolean;
    readonly scope: string | undefined;
  },
): Promise<{ readonly name: string; readonly entry: ServerConfig; readonly scope: string }> {
  const prompts = await openPrompts(deps);
  return {
    name: name ?? (await askForName(prompts)),
    entry: isWhole ? entry : { ...(await askForEntry(prompts, entry.type)), ...entry },
    scope:
      scope ??
      (await prompts.select(
        'Who is it for?',
        writableScopes(deps).map((value) => ({ value, label: value, hint: SCOPE_HINTS[value] })),
      )),
  };
}

async function askForEntry(prompts: Prompts, type: string | undefined): Promise<ServerConfig> {
  const kind =
    type ??
    (await prompts.select('What kind of server is it?', [
      { value: 'stdio', label: 'A program on this machine' },
      { value: 'http', label: 'A remote server', hint: 'Streamable HTTP, or the older HTTP+SSE' },
      { value: 'ws', label: 'A remote server over WebSocket' },
    ]));
  return kind === 'stdio' ? askForCommand(prompts) : askForUrl(prompts, kind);
}

async function askForName(prompts: Prompts): Promise<string> {
  return prompts.text({
    message: 'Name of the server',
    check(name) {
      const problem = checkServerName(name);
      if (problem === undefined) return undefined;
      const suggestion = suggestServerName(name);
      return `${suggestion === undefined ? '' : `Try "${suggestion}". `}The name ${problem}.`;
    },
  });
}

async function askForCommand(prompts: Prompts): Promise<ServerConfig> {
  const line = await prompts.text({
    message: 'Command, as you would type it',
    placeholder: 'npx -y @modelcontextprotocol/server-everything',
    check: (text) =>
      splitCommand(text) === undefined ? 'Enter a command, and close its quotes.' : undefined,
  });
  const [command, ...args] = splitCommand(line) ?? [];
  return { command, ...(args.length > 0 && { args }) };
}

async function askForUrl(prompts: Prompts, type: string): Promise<ServerConfig> {
  const url = await prompts.text({
    message: 'URL of the server',
    placeholder: type === 'ws' ? 'wss://…' : 'https://…',
    check: (text) => (URL.canParse(text) ? undefined : 'Enter an absolute URL.'),
  });
  return type === 'http' ? { url } : { type, url };
}

/**
 * Splits a command line into words, as a shell does with quotes and backslashes. Nothing is expanded, because no shell
 * runs it. Returns undefined for an empty line or an open quote.
 */
export function splitCommand(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (character === '\\' && quote !== "'" && index + 1 < line.length)
      word = (word ?? '') + line.charAt(++index);
    else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  return words.length === 0 || words[0] === '' ? undefined : words;
}
