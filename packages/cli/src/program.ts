import { Command, Option } from 'commander';
import { registerBridge } from './bridge/command.js';
import type { CommandContext } from './command-context.js';
import { registerCompletion } from './commands/completion/command.js';
import { COMMANDS } from './commands/index.js';
import { registerDoctor } from './doctor/command.js';
import { LAYOUT_NAMES, STORE_NAMES, type GlobalOptions } from './global-options.js';
import { collect, EXAMPLES, EXIT_CODES } from './help-text.js';
import { packageVersion } from './version.js';

/** The whole command line. Commands are registered without loading what they run on, so that `--help` is quick. */
export function createProgram(): Command {
  return new Command('fittings')
    .description(
      'Manage MCP servers from the terminal: check their status, use what they offer, approve them and sign in.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help for fittings, or for a command')
    .addOption(new Option('--json', 'print one JSON document instead of text').default(false))
    .addOption(new Option('-v, --verbose', 'print more: causes, details and log messages').default(false))
    .addOption(new Option('--no-color', 'disable colors, even on a terminal (like NO_COLOR)'))
    .addOption(
      new Option('--layout <name>', 'which set of configuration files to use')
        .choices(LAYOUT_NAMES)
        .default('fittings'),
    )
    .addOption(
      new Option('--mcp-config <file-or-json>', 'add servers from a file or JSON; can be repeated')
        .argParser(collect)
        .default([]),
    )
    .addOption(new Option('--strict-mcp-config', 'use only the servers from --mcp-config').default(false))
    .addOption(
      new Option(
        '--plugin <package-or-file>',
        'load a third-party transport or sign-in scheme; can be repeated',
      )
        .argParser(collect)
        .default([]),
    )
    .addOption(
      new Option(
        '--store <name>',
        'where to keep credentials; default: FITTINGS_STORE, else the store last used with login --store, else keychain',
      ).choices(STORE_NAMES),
    )
    .addHelpText('after', `${EXAMPLES}${EXIT_CODES}`)
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .showHelpAfterError('Run with --help for usage.')
    .exitOverride();
}

export function registerCommands(program: Command, context: CommandContext): void {
  for (const register of COMMANDS) register(program, context);
  registerDoctor(program, context);
  registerBridge(program, context);
  registerCompletion(program, context);
}

export function globalOptions(program: Command): GlobalOptions {
  return program.opts<GlobalOptions>();
}

/** As commander has it, without defaults that go without saying. */
function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const facts = [
    ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
    ...(typeof defaultValue === 'string' ? [`default: ${defaultValue}`] : []),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}
