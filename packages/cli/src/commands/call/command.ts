import { InvalidArgumentError, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { collect, examples } from '../../help-text.js';

export interface CallOptions {
  readonly arg: readonly string[];
  readonly args?: string;
  readonly timeout?: number;
}

export function registerCall(program: Command, context: CommandContext): void {
  program
    .command('call')
    .description('call a tool; shows how far it is, and Ctrl-C cancels it')
    .argument('<tool>', 'server/tool, or the name alone where only one server has it')
    .option(
      '-a, --arg <name=value>',
      "an argument, read as the tool's schema wants it; can be repeated",
      collect,
      [],
    )
    .option('--args <json>', 'all arguments as a JSON object; @file or - for stdin')
    .option('--timeout <seconds>', 'without answer or progress', seconds)
    .addHelpText(
      'after',
      examples(
        'fittings call everything/echo --arg message=hi',
        'fittings call search --arg query=mcp --arg limit=3 --arg tags=a --arg tags=b',
        'fittings call github/create_issue --args @issue.json --json',
      ) + '\nIt ends with 1 when the tool reports a failure.\n',
    )
    .action(async (tool: string, options: CallOptions) => {
      const { call } = await import('./run.js');
      await call(context, tool, options);
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It has to be a number of seconds.');
  return value;
}
