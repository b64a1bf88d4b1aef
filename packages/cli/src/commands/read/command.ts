import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

export interface ReadOptions {
  readonly output?: string;
}

export function registerRead(program: Command, context: CommandContext): void {
  program
    .command('read')
    .description('read a resource')
    .argument('<resource>', 'server/uri, or just the URI if only one server lists it')
    .option('-o, --output <file>', 'write the content to a file, unchanged')
    .addHelpText(
      'after',
      examples(
        'fittings read everything/demo://resource/static/document/features.md',
        'fittings read docs/img://logo -o logo.png',
      ),
    )
    .action(async (resource: string, options: ReadOptions) => {
      const { read } = await import('./run.js');
      await read(context, resource, options);
    });
}
