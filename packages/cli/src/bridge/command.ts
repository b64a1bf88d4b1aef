import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { collect } from '../help-text.js';
import { addRemoteOptions, type RemoteFlags } from '../arguments/remote-options.js';

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

const EXAMPLES = `
Examples:
  Connect a host that speaks only stdio to a server that requires sign-in, in its mcp.json:
    { "command": "npx", "args": ["-y", "@mcp-fittings/cli", "bridge", "https://mcp.example.com/mcp"] }
  Send a header with the value of an environment variable:
    $ fittings bridge https://mcp.example.com/mcp --header 'X-Key: \${API_KEY}'
  Serve a local server to other programs on this machine over Streamable HTTP:
    $ fittings bridge files --http 8080

Only MCP messages are written to standard output. Everything meant for you goes to standard error.
`;

export function registerBridge(program: Command, context: CommandContext): void {
  const command = program
    .command('bridge')
    .description('serve a server over another transport: stdio, or an address given by --http or --ws')
    .argument('<server>', 'name of a configured server, or a URL')
    .argument('[port]', 'same as --port, in the position that mcp-remote uses');
  addRemoteOptions(command)
    .addOption(
      new Option('--http <address>', 'serve Streamable HTTP on [host:]port or unix:/path').conflicts('ws'),
    )
    .addOption(new Option('--ws <address>', 'serve WebSocket on [host:]port'))
    .option('--path <path>', 'path of the endpoint', '/mcp')
    .option(
      '--token-file <file>',
      'file with the token that clients must send (or FITTINGS_BRIDGE_TOKEN); default: a new token, which is printed',
    )
    .option('--allow-origin <origin>', 'origin of web pages that may connect; can be repeated', collect, [])
    .option(
      '--allow-host <name>',
      'host name that clients use for this machine; can be repeated',
      collect,
      [],
    )
    .option('--no-sign-in', 'never open a sign-in page; fail if the server requires sign-in')
    .addHelpText('after', EXAMPLES)
    .action(async (server: string, port: string | undefined, flags: BridgeFlags) => {
      const { runBridge } = await import('./run-bridge.js');
      await runBridge(server, port === undefined ? flags : { port, ...flags }, context);
    });
}
