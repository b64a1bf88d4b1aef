import type { Command } from 'commander';
import { seconds } from '../../arguments/seconds.js';
import type { CommandContext } from '../../command-context.js';
import { collect, examples } from '../../help-text.js';

export interface CallOptions {
  readonly arg: readonly string[];
  readonly args?: string;
  readonly timeout?: number;
  readonly output?: string;
}

export function registerCall(program: Command, context: CommandContext): void {
  program
    .command('call')
    .description('call a tool; shows its progress, and Ctrl-C cancels it')
    .argument('<tool>', 'server/tool, or just the name if only one server has it')
    .allowExcessArguments()
    .option(
      '-a, --arg <name=value>',
      "an argument, converted to the type in the tool's schema; can be repeated",
      collect,
      [],
    )
    .option('--args <json>', 'all arguments as a JSON object; @file or - for stdin')
    .option('--timeout <seconds>', 'give up after this many seconds without an answer or progress', seconds)
    .option(
      '-o, --output <file>',
      'write the first image, audio or embedded resource of the result to a file',
    )
    .addHelpText(
      'after',
      examples(
        'fittings call everything/echo --arg message=hi',
        'fittings call search --arg query=mcp --arg limit=3 --arg tags=a --arg tags=b',
        'fittings call everything/get-tiny-image -o image.png',
        'fittings call github/create_issue --args @issue.json --json',
      ) + '\nThe exit code is 1 if the tool reports an error.\n',
    )
    .action(async (tool: string, options: CallOptions, { args: [, ...more] }: Command) => {
      if (more.length > 0) {
        const { unexpectedArguments } = await import('./unexpected-arguments.js');
        throw unexpectedArguments(more);
      }
      const { call } = await import('./run.js');
      await call(context, tool, options);
    });
}
