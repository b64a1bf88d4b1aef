import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

export interface ChangeOptions {
  readonly scope?: string;
}

/** `remove`, `enable` and `disable`: one server of one file. */
export type Change = 'remove' | 'enable' | 'disable';

const DESCRIPTIONS: Readonly<Record<Change, string>> = {
  remove: 'remove a server from its configuration file',
  enable: 'enable a disabled server',
  disable: 'disable a server, but keep it in its file',
};

export function registerChanges(program: Command, context: CommandContext): void {
  for (const change of ['remove', 'enable', 'disable'] as const) {
    program
      .command(change)
      .description(DESCRIPTIONS[change])
      .argument('<server>', 'name of the server')
      .option(
        '-s, --scope <scope>',
        'which file: user, local or project; required if several have the server',
      )
      .addHelpText(
        'after',
        examples(`fittings ${change} everything`, `fittings ${change} notion --scope project`),
      )
      .action(async (name: string, options: ChangeOptions) => {
        const { changeServer } = await import('./run.js');
        await changeServer(context, change, name, options);
      });
  }
}
