import { Option, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';
import { FOREIGN_PROGRAMS, type ProgramName } from '../foreign-programs.js';

export interface ImportOptions {
  /** Undefined: the programs that are configured here are listed. */
  readonly from?: ProgramName;
  readonly file?: string;
  readonly scope?: string;
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly project: boolean;
  readonly convertMcpRemote: boolean;
  readonly secrets?: (typeof SECRETS)[number];
}

/** What becomes of secrets that an entry holds as text. */
const SECRETS = ['variables', 'keep'] as const;

export function registerImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description("import servers from another program's configuration")
    .argument('[names...]', 'which servers; without names it asks, or needs --all')
    .addOption(
      new Option('-f, --from <program>', 'the program; without it, those found here are listed').choices(
        FOREIGN_PROGRAMS,
      ),
    )
    .option('--file <file>', 'its file, where it is not in its usual place')
    .option(
      '--project',
      'the files that came with this folder, into the scope project, to be approved',
      false,
    )
    .option('-s, --scope <scope>', 'where to write them: user, local or project')
    .option('--all', 'every server that can be imported', false)
    .option('--dry-run', 'show the whole entries that would be imported, and write nothing', false)
    .option(
      '--convert-mcp-remote',
      'entries that start mcp-remote become entries for the remote server itself',
      false,
    )
    .addOption(
      new Option(
        '--secrets <how>',
        'secrets in an entry: write ${NAME} in their place, or keep them; a project file needs one of both',
      ).choices(SECRETS),
    )
    .option('--replace', 'in place of servers of yours with the same names', false)
    .addHelpText(
      'after',
      examples(
        'fittings import',
        'fittings import --from claude-desktop',
        'fittings import --from vscode --project --all --dry-run',
        'fittings import --from claude-desktop --all --convert-mcp-remote --secrets variables',
      ),
    )
    .action(async (names: readonly string[], options: ImportOptions) => {
      const { from } = options;
      if (from === undefined) {
        const { listPrograms } = await import('./list-programs.js');
        await listPrograms(context, names, options);
        return;
      }
      const { importInto } = await import('./run.js');
      await importInto(context, names, { ...options, from });
    });
}
