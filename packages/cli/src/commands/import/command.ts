import { Option, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';
import { FOREIGN_PROGRAMS, type ProgramName } from '../foreign-programs.js';

export interface ImportOptions {
  readonly from: ProgramName;
  readonly file?: string;
  readonly scope?: string;
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly project: boolean;
}

export function registerImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description("take over servers from another program's configuration")
    .argument('[names...]', 'which servers; without names it asks, or needs --all')
    .addOption(
      new Option('-f, --from <program>', 'the program').choices(FOREIGN_PROGRAMS).makeOptionMandatory(),
    )
    .option('--file <file>', 'its file, where it is not in its usual place')
    .option(
      '--project',
      'the files that came with this folder, into the scope project, to be approved',
      false,
    )
    .option('-s, --scope <scope>', 'where to write them: user, local or project')
    .option('--all', 'every server that can be taken over', false)
    .option('--dry-run', 'show what would be taken over, and write nothing', false)
    .option('--replace', 'in place of servers of yours with the same names', false)
    .addHelpText(
      'after',
      examples(
        'fittings import --from claude-desktop',
        'fittings import --from vscode --project --all --dry-run',
      ),
    )
    .action(async (names: readonly string[], options: ImportOptions) => {
      const { importInto } = await import('./run.js');
      await importInto(context, names, options);
    });
}
