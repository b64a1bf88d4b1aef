import { type Command, Option } from 'commander';
import type { CommandDeps } from '../command-deps.js';
import type { AddOptions } from '../commands/add.js';
import type { ApproveOptions } from '../commands/approve.js';
import type { Change, ChangeOptions } from '../commands/change-server.js';
import type { ExportOptions } from '../commands/export.js';
import type { ImportOptions } from '../commands/import.js';
import { FOREIGN_PROGRAMS, SECRET_HANDLING } from '../options.js';
import { collect, examples } from './declare.js';

export function registerAdd(program: Command, deps: CommandDeps): void {
  program
    .command('add')
    .description('add a server to a configuration file; prompts for what you leave out')
    .argument('[name]', 'name of the server')
    .argument('[command-or-url...]', 'the program and its arguments, after --; or the URL of a remote server')
    .option('-s, --scope <scope>', 'user, local (this project, for you alone) or project (in its repository)')
    .option('-u, --url <url>', 'URL of a remote server')
    .option('-t, --type <type>', 'transport: stdio, http, sse, ws; default: based on the command or URL')
    .addOption(new Option('--transport <type>', 'same as --type').hideHelp())
    .option('-e, --env <name=value>', 'environment variable for the program; can be repeated', collect, [])
    .option('-H, --header <name: value>', 'header to send with each request; can be repeated', collect, [])
    .option('--cwd <folder>', 'working directory of the program')
    .option('--client-id <id>', 'ID of an OAuth client that is already registered for this server')
    .option('--oauth-scope <scope>', 'OAuth scope to request; can be repeated', collect, [])
    .option('--account <name>', 'account to sign in with; each has credentials of its own')
    .option('--callback-port <port>', 'port of the OAuth redirect URI')
    .option('--entry <json>', 'the whole entry as JSON; @file or - for stdin')
    .option('--disabled', 'do not connect to it until it is enabled', false)
    .option('--replace', 'replace an existing server with this name', false)
    .showHelpAfterError(
      'Put -- before a program and its arguments: fittings add <name> -- npx -y some-server\nRun with --help for usage.',
    )
    .addHelpText(
      'after',
      examples(
        'fittings add everything -- npx -y @modelcontextprotocol/server-everything',
        'fittings add notion https://mcp.notion.com/mcp --scope project',
        'fittings add notion-work https://mcp.notion.com/mcp --account me@work.example',
        "fittings add api --url https://api.example/mcp --header 'X-Key: ${API_KEY}'",
        `fittings add db --entry '{"command":"db-mcp","env":{"DSN":"\${DSN}"}}'`,
      ) +
        '\nA value such as ${NAME} is written as it is, and replaced by the environment variable at each start.\n',
    )
    .action(async (name: string | undefined, command: readonly string[], options: AddOptions) => {
      const { add } = await import('../commands/add.js');
      await add(deps, name, command, options);
    });
}

const DESCRIPTIONS: Readonly<Record<Change, string>> = {
  remove: 'remove a server from its configuration file',
  enable: 'enable a disabled server',
  disable: 'disable a server, but keep it in its file',
};

export function registerChanges(program: Command, deps: CommandDeps): void {
  for (const change of ['remove', 'enable', 'disable'] as const) {
    program
      .command(change)
      .description(DESCRIPTIONS[change])
      .argument('<server>', 'name of the server')
      .option(
        '-s, --scope <scope>',
        'which file: user, local or project; required if several have the server',
      )
      .addHelpText(
        'after',
        examples(`fittings ${change} everything`, `fittings ${change} notion --scope project`),
      )
      .action(async (name: string, options: ChangeOptions) => {
        const { changeServer } = await import('../commands/change-server.js');
        await changeServer(deps, change, name, options);
      });
  }
}

export function registerImport(program: Command, deps: CommandDeps): void {
  program
    .command('import')
    .description("import servers from another program's configuration")
    .argument('[names...]', 'which servers; without names it prompts, or requires --all')
    .addOption(
      new Option(
        '-f, --from <program>',
        'the program to import from; without it, lists the programs found here',
      ).choices(FOREIGN_PROGRAMS),
    )
    .option('--file <file>', "the program's file, if it is not in the usual place")
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
      ).choices(SECRET_HANDLING),
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
        const { listPrograms } = await import('../commands/import-sources.js');
        await listPrograms(deps, names, options);
        return;
      }
      const { importFromProgram } = await import('../commands/import.js');
      await importFromProgram(deps, names, { ...options, from });
    });
}

export function registerExport(program: Command, deps: CommandDeps): void {
  program
    .command('export')
    .description("write servers in the format of another program's configuration")
    .argument('[servers...]', 'which servers; default: all but those of the project that are not approved')
    .showHelpAfterError(
      `Supported programs: ${FOREIGN_PROGRAMS.join(', ')}. Example: fittings export --to vscode`,
    )
    .addOption(
      new Option('-t, --to <program>', 'the program to write for')
        .choices(FOREIGN_PROGRAMS)
        .makeOptionMandatory(),
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
      const { exportToProgram } = await import('../commands/export.js');
      await exportToProgram(deps, names, options);
    });
}

export function registerApprove(program: Command, deps: CommandDeps): void {
  program
    .command('approve')
    .description('review servers that came with a project, and decide whether they may run')
    .argument('[servers...]', 'server names; default: all that need a decision')
    .addOption(
      new Option(
        '--hash <sha256>',
        'approve exactly this definition without a prompt; --json shows the hash',
      ).conflicts(['never', 'forget']),
    )
    .addOption(
      new Option('--never', 'reject the named servers without a prompt').default(false).conflicts('forget'),
    )
    .option('--forget', 'forget the decisions about the named servers', false)
    .addHelpText(
      'after',
      examples(
        'fittings approve',
        'fittings approve --json',
        'fittings approve db --hash 1f0c…',
        'fittings approve db --never',
      ) + '\nAn approval covers one definition: if it changes, you are asked again.\n',
    )
    .action(async (names: readonly string[], options: ApproveOptions) => {
      const { approve } = await import('../commands/approve.js');
      await approve(deps, names, options);
    });
}
