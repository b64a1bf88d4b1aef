import { Argument, type Command } from 'commander';
import type { CommandDeps } from '../command-deps.js';
import type { PinsOptions } from '../commands/pins.js';
import { examples } from './declare.js';

const ACTIONS = ['list', 'show', 'accept', 'remove'] as const;

const PINS_HELP =
  examples(
    'fittings pins                                   # how many tools are pinned, and what changed since',
    'fittings pins show github                       # what changed, and a hash of it',
    'fittings pins accept github create_issue        # shows it, and asks',
    'fittings pins accept github --hash 1f0c…        # in a script, after you have read it',
    'fittings pins remove github                     # the next use pins what it then has',
  ) +
  `
The tools that a server has when it is first used are pinned: what they are called, how they are described, and their schemas.
A pin is not a scanner: it shows that a tool changed, and does not know whether it was ever good. A tool that changed or is new is
not called until you accept it.
The exit code is 5 if something waits for you.
`;

export function registerPins(program: Command, deps: CommandDeps): void {
  program
    .command('pins')
    .description('see which tools changed since you first used their server, and accept them')
    .addArgument(new Argument('[action]', 'what to do').choices(ACTIONS).default('list'))
    .argument('[server]', 'name of a server; required except for list')
    .argument('[tools...]', 'names of tools; default: all that changed')
    .option('--hash <sha256>', 'accept exactly these changes without a prompt; show prints the hash')
    .addHelpText('after', PINS_HELP)
    .action(
      async (
        action: (typeof ACTIONS)[number],
        server: string | undefined,
        tools: readonly string[],
        options: PinsOptions,
      ) => {
        const { runPins } = await import('../commands/pins.js');
        await runPins(deps, action, server, tools, options);
      },
    );
}
