import { Option, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { collect, examples } from '../../help-text.js';

export interface AddOptions {
  readonly scope?: string;
  readonly type?: string;
  /** Another name of `--type`. */
  readonly transport?: string;
  readonly url?: string;
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly cwd?: string;
  readonly clientId?: string;
  readonly oauthScope: readonly string[];
  readonly callbackPort?: string;
  readonly entry?: string;
  readonly disabled: boolean;
  readonly replace: boolean;
}

export function registerAdd(program: Command, context: CommandContext): void {
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
    .option('--callback-port <port>', 'port of the OAuth redirect URI')
    .option('--entry <json>', 'the whole entry as JSON; @file or - for stdin')
    .option('--disabled', 'do not connect to it until it is enabled', false)
    .option('--replace', 'replace an existing server with this name', false)
    .addHelpText(
      'after',
      examples(
        'fittings add everything -- npx -y @modelcontextprotocol/server-everything',
        'fittings add notion https://mcp.notion.com/mcp --scope project',
        "fittings add api --url https://api.example/mcp --header 'X-Key: ${API_KEY}'",
        `fittings add db --entry '{"command":"db-mcp","env":{"DSN":"\${DSN}"}}'`,
      ) +
        '\nA value such as ${NAME} is written as it is, and replaced by the environment variable at each start.\n',
    )
    .action(async (name: string | undefined, command: readonly string[], options: AddOptions) => {
      const { add } = await import('./run.js');
      await add(context, name, command, options);
    });
}
