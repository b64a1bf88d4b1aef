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
    .description('review servers that came with a project, and decide whether they may run')
    .argument('[servers...]', 'server names; default: all that need a decision')
    .option('--hash <sha256>', 'approve exactly this definition without a prompt; --json shows the hash')
    .option('--never', 'reject the named servers without a prompt', false)
    .option('--forget', 'forget the decisions about the named servers', false)
    .addHelpText(
      'after',
      examples(
        'fittings approve',
        'fittings approve --json',
        'fittings approve db --hash 1f0c…',
        'fittings approve db --never',
      ) + '\nAn approval covers one definition: if it changes, you are asked again.\n',
    )
    .action(async (names: readonly string[], options: ApproveOptions) => {
      const { approve } = await import('./run.js');
      await approve(context, names, options);
    });
}
