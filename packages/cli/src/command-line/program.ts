import { Command, Help, Option } from 'commander';
import type { CommandDeps } from '../command-deps.js';
import { LAYOUT_NAMES, STORE_NAMES } from '../options.js';
import { packageVersion } from '../own-files.js';
import {
  registerAdd,
  registerApprove,
  registerChanges,
  registerExport,
  registerImport,
} from './config-commands.js';
import { collect, examples } from './declare.js';
import {
  registerBridge,
  registerCompletion,
  registerDoctor,
  registerServe,
  registerSignIn,
} from './other-commands.js';
import { registerPins } from './pin-commands.js';
import {
  registerCall,
  registerComplete,
  registerGenerate,
  registerInit,
  registerList,
  registerPrompt,
  registerRead,
  registerStatus,
} from './server-commands.js';

const EXAMPLES = examples(
  'fittings add everything -- npx -y @modelcontextprotocol/server-everything',
  'fittings status',
  'fittings list tools everything',
  'fittings call everything/echo message=hi',
  'fittings add notion --url https://mcp.notion.com/mcp && fittings login notion',
  'fittings doctor notion',
);

const GLOBAL_OPTIONS = 'Options of all commands, such as --json, --verbose and --layout: fittings --help';

const EXIT_CODES = `
Exit codes:
    0  success
    1  failure
    2  invalid usage
    3  invalid configuration
    4  sign-in required, or it failed
    5  approval required, or forbidden by a policy
    6  server unreachable, or no response in time
  130  interrupted
`;

/** Creates the program with its global options. Commands load what they need when they run, so that `--help` is quick. */
export function createProgram(): Command {
  return new Command('fittings')
    .description(
      'Manage MCP servers from the terminal: check their status, use what they offer, approve them and sign in.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .option('--json', 'print one JSON document instead of text', false)
    .option('-v, --verbose', 'print more: causes, details and log messages', false)
    .option('--no-color', 'disable colors, even on a terminal (like NO_COLOR)')
    .addOption(
      new Option('--layout <name>', 'which set of configuration files to use')
        .choices(LAYOUT_NAMES)
        .default('fittings'),
    )
    .option('--mcp-config <file-or-json>', 'add servers from a file or JSON; can be repeated', collect, [])
    .option('--strict-mcp-config', 'use only the servers from --mcp-config', false)
    .option(
      '--plugin <package-or-file>',
      'load a third-party transport or sign-in scheme; can be repeated',
      collect,
      [],
    )
    .option(
      '--shared',
      'run local servers in one process for all programs, which is started on demand (or FITTINGS_SHARED=1)',
    )
    .option('--no-shared', 'start local servers for this command only (default)')
    .addOption(
      new Option(
        '--store <name>',
        'where to keep credentials; default: FITTINGS_STORE, else the store last used with login --store, else keychain',
      ).choices(STORE_NAMES),
    )
    .addHelpText('after', `${EXAMPLES}${EXIT_CODES}`)
    .configureHelp({
      optionDescription,
      formatItem,
      subcommandTerm: (command) => command.name(),
      minWidthToWrap: 20,
    })
    .showHelpAfterError('Run with --help for usage.')
    .exitOverride();
}

/** Registers every command, in the order of `--help`. */
export function registerCommands(program: Command, deps: CommandDeps): void {
  for (const register of [
    registerStatus,
    registerList,
    registerCall,
    registerRead,
    registerPrompt,
    registerComplete,
    registerGenerate,
    registerInit,
    registerAdd,
    registerChanges,
    registerImport,
    registerExport,
    registerApprove,
    registerPins,
    registerSignIn,
    registerDoctor,
    registerBridge,
    registerServe,
    registerCompletion,
  ])
    register(program, deps);
  for (const command of program.commands) command.addHelpText('after', GLOBAL_OPTIONS);
}

/** Describes an option as commander does, but leaves out defaults of `false` and `[]`. */
function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const notes = [
    ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
    ...(typeof defaultValue === 'string' ? [`default: ${defaultValue}`] : []),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** Columns that a description needs beside its term. */
const DESCRIPTION_COLUMNS = 30;

/** Formats an option, argument or command as commander does, but its description below it on a narrow terminal. */
function formatItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  if (description === '' || width - termWidth >= DESCRIPTION_COLUMNS)
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
  const indent = ' '.repeat(6);
  return `  ${term}\n${indent}${helper.boxWrap(description, width - 6).replaceAll('\n', `\n${indent}`)}`;
}
