import { Argument, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function registerCompletion(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print a script with which your shell completes commands, options and server names')
    .showHelpAfterError(`The shells: ${SHELLS.join(', ')}. Example: fittings completion bash >> ~/.bashrc`)
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'fittings completion bash >> ~/.bashrc',
        'fittings completion zsh > "${fpath[1]}/_fittings"',
        'fittings completion fish > ~/.config/fish/completions/fittings.fish',
      ),
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./scripts.js');
      const script = completionScript(shell);
      context.output.result({ shell, script }, () => script);
    });
  // What the scripts run: one candidate a line.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      const { candidates } = await import('./candidates.js');
      for (const candidate of await candidates(context, program, words))
        context.stdout.write(`${candidate}\n`);
    });
}
