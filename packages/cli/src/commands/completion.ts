import type { Command } from 'commander';
import type { CommandDeps } from '../command-deps.js';
import type { Shell } from '../options.js';
import { loadForCommand } from '../session/open-session.js';

/** Candidates that need no quoting in a shell. Others, such as odd server names of a project file, are left out. */
const PLAIN = /^[A-Za-z0-9._:/@-]+$/;

/** Returns the completions of the last word. Connects to no server. */
export async function candidates(
  deps: CommandDeps,
  program: Command,
  words: readonly string[],
): Promise<readonly string[]> {
  const current = words.at(-1) ?? '';
  const { command, position, option } = parseWords(program, words.slice(0, -1));
  const all = await possible();
  return [...new Set(all)].filter((word) => PLAIN.test(word) && word.startsWith(current));

  async function possible(): Promise<readonly string[]> {
    if (option !== undefined) return option.argChoices ?? [];
    if (current.startsWith('-')) {
      const own = [...command.options, ...program.options].filter(({ hidden }) => !hidden);
      return own.flatMap(({ short, long }) => [long ?? '', short ?? '']).filter((flag) => flag !== '');
    }
    if (command === program)
      return command
        .createHelp()
        .visibleCommands(command)
        .map((each) => each.name());
    const { registeredArguments: declared } = command;
    const argument = declared[position] ?? declared.findLast(({ variadic }) => variadic);
    if (argument?.argChoices !== undefined) return argument.argChoices;
    return argument !== undefined && OF_A_SERVER.has(argument.name()) ? serverNames(deps) : [];
  }
}

/** Command arguments that are, or begin with, the name of a server. */
const OF_A_SERVER: ReadonlySet<string> = new Set([
  'server',
  'servers',
  'tool',
  'resource',
  'prompt',
  'target',
]);

/** Returns the command that the words lead to, how many arguments it has, and the option that needs a value. */
function parseWords(program: Command, words: readonly string[]) {
  let command = program;
  let position = 0;
  let option: Command['options'][number] | undefined;
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const known = [...command.options, ...program.options].find(
        ({ short, long }) => word === short || word === long,
      );
      option = known?.required === true ? known : undefined;
      continue;
    }
    const child = command === program ? program.commands.find((each) => each.name() === word) : undefined;
    if (child === undefined) position++;
    else command = child;
  }
  return { command, position, option };
}

async function serverNames(deps: CommandDeps): Promise<readonly string[]> {
  const { loaded } = await loadForCommand(deps);
  return loaded.entries.filter(({ status }) => status !== 'replaced').map(({ name }) => name);
}

/**
 * Returns the completion script of a shell. It calls `fittings __complete` with the words as they are, unevaluated.
 */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_fittings() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
    fittings __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _fittings fittings`,
  zsh: `#compdef fittings
_fittings() {
  local -a found
  found=("\${(@f)$(fittings __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -Q -- $found || _files
}
(( $+functions[compdef] )) && compdef _fittings fittings`,
  fish: `function __fittings_complete
  set -l words (commandline -opc) (commandline -ct)
  fittings __complete -- $words[2..-1] 2>/dev/null
end
complete -c fittings -a '(__fittings_complete)'`,
};
