import { Argument, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { collect, examples } from '../../help-text.js';

export interface CompleteOptions {
  readonly arg: readonly string[];
}

export function registerComplete(program: Command, context: CommandContext): void {
  program
    .command('complete')
    .description('get completions for an argument of a prompt or a resource template')
    .addArgument(new Argument('<kind>', 'what the argument belongs to').choices(['prompt', 'resource']))
    .argument('<target>', 'server/prompt, or server/uri-template')
    .argument('<argument>', 'name of the argument')
    .argument('[value]', 'the value typed so far', '')
    .option('-a, --arg <name=value>', 'an argument that already has its value; can be repeated', collect, [])
    .addHelpText('after', examples('fittings complete prompt everything/completable-prompt department E'))
    .action(
      async (
        kind: 'prompt' | 'resource',
        target: string,
        argument: string,
        value: string,
        options: CompleteOptions,
      ) => {
        const { complete } = await import('./run.js');
        await complete(context, { kind, target, argument, value, args: options.arg });
      },
    );
}
