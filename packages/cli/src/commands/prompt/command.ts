import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { collect, examples } from '../../help-text.js';

export interface PromptOptions {
  readonly arg: readonly string[];
}

export function registerPrompt(program: Command, context: CommandContext): void {
  program
    .command('prompt')
    .description('get a prompt with its arguments filled in')
    .argument('<prompt>', 'server/prompt, or just the name if only one server has it')
    .option('-a, --arg <name=value>', 'an argument; can be repeated', collect, [])
    .addHelpText('after', examples('fittings prompt everything/args-prompt --arg city=Berlin'))
    .action(async (prompt: string, options: PromptOptions) => {
      const { prompt: run } = await import('./run.js');
      await run(context, prompt, options);
    });
}
