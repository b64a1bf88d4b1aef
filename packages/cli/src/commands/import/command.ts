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
    .argument('[names...]', 'which servers; without names it prompts, or requires --all')
    .addOption(
      new Option('-f, --from <program>', 'the program; without it, lists the programs found here').choices(
        FOREIGN_PROGRAMS,
      ),
    )
    .option('--file <file>', 'its file, if it is not in the usual place')
    .option(
      '--project',
      'read the files of this project instead; they go to the scope project and need approval',
      false,
    )
    .option('-s, --scope <scope>', 'where to write the servers: user, local or project')
    .option('--all', 'import every server that can be imported', false)
    .option('--dry-run', 'show the full entries that would be imported, and write nothing', false)
    .option(
      '--convert-mcp-remote',
      'convert entries that start mcp-remote to entries for the remote server itself',
      false,
    )
    .addOption(
      new Option(
        '--secrets <how>',
        'secrets in an entry: replace them with ${NAME}, or keep them; required for a project file',
      ).choices(SECRETS),
    )
    .option('--replace', 'replace your servers that have the same names', false)
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
