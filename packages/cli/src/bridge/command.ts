import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { RemoteFlags } from './remote-entry.js';

/** The options of `bridge`. */
export interface BridgeFlags extends RemoteFlags {
  readonly http?: string;
  readonly ws?: string;
  readonly path: string;
  readonly tokenFile?: string;
  readonly allowOrigin: readonly string[];
  readonly allowHost: readonly string[];
  readonly signIn: boolean;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

const EXAMPLES = `
Examples:
  A host that speaks only stdio reaches a server that wants a sign-in, e.g. in its mcp.json:
    { "command": "npx", "args": ["-y", "@mcp-fittings/cli", "bridge", "https://mcp.example.com/mcp"] }
  With a header whose value is a variable of the environment:
    $ fittings bridge https://mcp.example.com/mcp --header 'X-Key: \${API_KEY}'
  A local server, served to other programs of this machine over Streamable HTTP:
    $ fittings bridge files --http 8080

Standard output holds nothing but messages; everything for a person goes to standard error.
`;

export function registerBridge(program: Command, context: CommandContext): void {
  program
    .command('bridge')
    .description('Serve a server over another transport: over stdio, or where --http or --ws says.')
    .argument('<server>', 'a configured server, or the URL of one')
    .argument('[port]', 'the same as --port, as mcp-remote has it')
    .option('-t, --type <type>', 'transport to a URL: http (with sse as fallback), sse, ws')
    .option('-H, --header <name: value>', 'header for each request to a URL; can be repeated', collect, [])
    .option('--client-id <id>', 'OAuth client that is registered for this URL already')
    .option('--oauth-scope <scope>', 'OAuth scope to ask for; can be repeated', collect, [])
    .option('--port <port>', 'port of the OAuth redirect URI')
    .addOption(
      new Option('--http <address>', 'serve Streamable HTTP at [host:]port or unix:/path').conflicts('ws'),
    )
    .addOption(new Option('--ws <address>', 'serve WebSocket at [host:]port'))
    .option('--path <path>', 'path of the endpoint', '/mcp')
    .option(
      '--token-file <file>',
      'token that clients send (or FITTINGS_BRIDGE_TOKEN); default: a new one, printed',
    )
    .option('--allow-origin <origin>', 'web pages that may connect; can be repeated', collect, [])
    .option('--allow-host <name>', 'names by which others reach this machine; can be repeated', collect, [])
    .option('--no-sign-in', 'never open a sign-in page; refuse what needs one')
    .addHelpText('after', EXAMPLES)
    .action(async (server: string, port: string | undefined, flags: BridgeFlags) => {
      const { runBridge } = await import('./run-bridge.js');
      await runBridge(server, port === undefined ? flags : { port, ...flags }, context);
    });
}
