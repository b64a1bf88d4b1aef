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
    .description('MCP servers at the terminal: what they are doing, what they offer, and who may use them.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help, also after the name of a command')
    .addOption(new Option('--json', 'print one JSON document in place of text').default(false))
    .addOption(new Option('-v, --verbose', 'say more: causes, details, what goes on').default(false))
    .addOption(new Option('--no-color', 'no colours, also on a terminal (as with NO_COLOR)'))
    .addOption(
      new Option('--layout <name>', 'where configuration files are')
        .choices(LAYOUT_NAMES)
        .default('fittings'),
    )
    .addOption(
      new Option('--mcp-config <file-or-json>', 'more servers, from a file or as JSON; can be repeated')
        .argParser(collect)
        .default([]),
    )
    .addOption(new Option('--strict-mcp-config', 'only servers of --mcp-config').default(false))
    .addOption(
      new Option('--plugin <package-or-file>', 'a third-party transport or sign-in scheme; can be repeated')
        .argParser(collect)
        .default([]),
    )
    .addOption(
      new Option(
        '--store <name>',
        'where credentials are kept; default: FITTINGS_STORE, or the store that you signed in with, or keychain',
      ).choices(STORE_NAMES),
    )
    .addHelpText('after', `${EXAMPLES}${EXIT_CODES}`)
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .showHelpAfterError('Run it with --help to see how it is used.')
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
