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
  enable: 'let a disabled server be connected again',
  disable: 'keep a server in its file, and do not connect it',
};

export function registerChanges(program: Command, context: CommandContext): void {
  for (const change of ['remove', 'enable', 'disable'] as const) {
    program
      .command(change)
      .description(DESCRIPTIONS[change])
      .argument('<server>', 'name of the server')
      .option('-s, --scope <scope>', 'which file: user, local or project; needed where several have it')
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
