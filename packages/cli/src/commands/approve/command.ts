import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

export interface ApproveOptions {
  readonly hash?: string;
  readonly never: boolean;
  readonly forget: boolean;
}

export function registerApprove(program: Command, context: CommandContext): void {
  program
    .command('approve')
    .description('look at servers that came with a project, and decide whether they may run')
    .argument('[servers...]', 'names of servers; default: all that wait')
    .option('--hash <sha256>', 'approve exactly this definition without being asked; see --json for the hash')
    .option('--never', 'decide against the named servers, without being asked', false)
    .option('--forget', 'forget what was decided about the named servers', false)
    .addHelpText(
      'after',
      examples(
        'fittings approve',
        'fittings approve --json',
        'fittings approve db --hash 1f0c…',
        'fittings approve db --never',
      ) + '\nAn approval is for one definition: when it changes, you are asked again.\n',
    )
    .action(async (names: readonly string[], options: ApproveOptions) => {
      const { approve } = await import('./run.js');
      await approve(context, names, options);
    });
}
