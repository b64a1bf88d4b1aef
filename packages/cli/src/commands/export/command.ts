import { Option, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';
import { FOREIGN_PROGRAMS, type ProgramName } from '../foreign-programs.js';

export interface ExportOptions {
  readonly to: ProgramName;
  readonly output?: string;
  /** Named servers are exported although they are not approved. */
  readonly unapproved: boolean;
}

export function registerExport(program: Command, context: CommandContext): void {
  program
    .command('export')
    .description("write servers in the format of another program's configuration")
    .argument('[servers...]', 'which servers; default: all but those of the project that are not approved')
    .showHelpAfterError(`The programs: ${FOREIGN_PROGRAMS.join(', ')}. Example: fittings export --to vscode`)
    .addOption(
      new Option('-t, --to <program>', 'the program').choices(FOREIGN_PROGRAMS).makeOptionMandatory(),
    )
    .option(
      '-o, --output <file>',
      'write to this file and keep its other content; default: stdout, without secrets',
    )
    .option('--unapproved', 'also export named servers that are not approved, without a prompt', false)
    .addHelpText(
      'after',
      examples('fittings export --to vscode -o .vscode/mcp.json', 'fittings export github --to codex'),
    )
    .action(async (names: readonly string[], options: ExportOptions) => {
      const { exportOut } = await import('./run.js');
      await exportOut(context, names, options);
    });
}
