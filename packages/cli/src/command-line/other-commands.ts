import { Argument, type Command, Option } from 'commander';
import type { CommandDeps } from '../command-deps.js';
import type { BridgeOptions } from '../commands/bridge.js';
import type { LoginOptions } from '../commands/login.js';
import type { ServeGatewayOptions } from '../commands/serve-gateway.js';
import type { ServeSharedOptions } from '../commands/serve-shared.js';
import { CommandError } from '../output/hints.js';
import { SIGN_IN_METHODS, type RemoteOptions, SHELLS, type Shell } from '../options.js';
import { addClientOptions, addRemoteOptions, examples, seconds } from './declare.js';

export function registerSignIn(program: Command, deps: CommandDeps): void {
  const signIn = program
    .command('login')
    .description('sign in to a server')
    .argument('<server>', 'name of a configured server, or a URL');
  addRemoteOptions(signIn)
    .addOption(
      new Option(
        '-m, --method <method>',
        'browser on this machine, a code, or pasting an address; default: depends on your environment',
      ).choices(SIGN_IN_METHODS),
    )
    .option('--timeout <seconds>', 'time limit for the sign-in (default: 300)', seconds)
    .addHelpText(
      'after',
      examples(
        'fittings login notion',
        'fittings login https://mcp.example.com/mcp   # for: fittings bridge https://mcp.example.com/mcp',
        'ssh server fittings login notion   # without a browser: a code, or paste the address',
      ) +
        '\nIt also asks for the values of `${input:ID}` in the entry, and keeps them with the credentials.\n',
    )
    .action(async (server: string, options: LoginOptions) => {
      const { login } = await import('../commands/login.js');
      await login(deps, server, options);
    });
  const signOut = program
    .command('logout')
    .description('sign out of a server: revoke and delete its credentials')
    .argument('<server>', 'name of a configured server, or a URL');
  addRemoteOptions(signOut)
    .addHelpText(
      'after',
      `${examples('fittings logout notion')}\nThe values that were entered for its entry are deleted too; login asks for them again.\n`,
    )
    .action(async (server: string, flags: RemoteOptions) => {
      const { logout } = await import('../commands/login.js');
      await logout(deps, server, flags);
    });
}

const DOCTOR_HELP =
  examples(
    'fittings doctor github   # find out why this server does not work',
    'fittings doctor --json   # all servers, for a script',
  ) +
  `
Each server is started or contacted once. Servers that are not approved are skipped.
The exit code is 1 if a problem is found, and 3 if a configuration file cannot be used.
`;

export function registerDoctor(program: Command, deps: CommandDeps): void {
  program
    .command('doctor')
    .description('find out what is wrong with one server or all servers, and how to fix it')
    .argument('[server]', 'one server; default: all')
    .option('--timeout <seconds>', 'time limit for each connection (default: 15)', seconds)
    .addHelpText('after', DOCTOR_HELP)
    .action(async (server: string | undefined, { timeout = 15_000 }: { readonly timeout?: number }) => {
      const { runDoctor } = await import('../commands/doctor.js');
      await runDoctor(server, timeout, deps);
    });
}

const BRIDGE_HELP = `
Examples:
  Connect a host that speaks only stdio to a server that requires sign-in, in its mcp.json:
    { "command": "npx", "args": ["-y", "@mcp-fittings/cli", "bridge", "https://mcp.example.com/mcp"] }
  Send a header with the value of an environment variable:
    fittings bridge https://mcp.example.com/mcp --header 'X-Key: \${API_KEY}'
  Serve a local server to other programs on this machine over Streamable HTTP, at http://127.0.0.1:8080/mcp/files:
    fittings bridge files --http 8080

Only MCP messages are written to standard output. Everything meant for you goes to standard error.
`;

export function registerBridge(program: Command, deps: CommandDeps): void {
  const command = program
    .command('bridge')
    .description('serve a server over another transport: stdio, or an address given by --http or --ws')
    .argument('<server>', 'name of a configured server, or a URL')
    .argument('[port]', 'same as --port, in the position that mcp-remote uses');
  addRemoteOptions(command)
    .addOption(
      new Option('--http <address>', 'serve Streamable HTTP on [host:]port or unix:/path').conflicts('ws'),
    )
    .addOption(new Option('--ws <address>', 'serve WebSocket on [host:]port'));
  addClientOptions(command, 'FITTINGS_BRIDGE_TOKEN')
    .option('--no-sign-in', 'never open a sign-in page; fail if the server requires sign-in')
    .addHelpText('after', BRIDGE_HELP)
    .action(async (server: string, port: string | undefined, flags: BridgeOptions) => {
      const { runBridge } = await import('../commands/bridge.js');
      await runBridge(server, port === undefined ? flags : { port, ...flags }, deps);
    });
}

const SERVE_HELP =
  examples(
    'fittings serve --http 8080   # all servers at http://127.0.0.1:8080/mcp, each at /mcp/<name>',
    'fittings serve github files --stdio   # for a host that starts this command',
    'fittings serve --socket   # the local servers of all programs; other commands start it on demand',
  ) +
  `
With --socket it runs each local server once for all programs of this user that would start it in the same way;
SIGTERM lets calls in flight finish for at most 10 seconds.
`;

export function registerServe(program: Command, deps: CommandDeps): void {
  const command = program
    .command('serve')
    .description('serve servers as one MCP server, or run the local servers of all programs in one process')
    .argument('[servers...]', 'with --http and --stdio: names of configured servers; default: all')
    .addOption(
      new Option('--http <address>', 'serve Streamable HTTP on [host:]port or unix:/path').conflicts([
        'stdio',
        'socket',
        'idle',
      ]),
    )
    .addOption(
      new Option('--stdio', 'serve the program that starts this command').conflicts([
        'socket',
        'idle',
        'tokenFile',
        'allowOrigin',
        'allowHost',
      ]),
    )
    .addOption(
      new Option(
        '--socket [folder]',
        'run local servers for all programs; folder of the socket that they connect to; default: a private folder of this user',
      ).conflicts(['tokenFile', 'allowOrigin', 'allowHost']),
    )
    .option(
      '--idle <seconds>',
      'with --socket: end after this time without a program (default: 900)',
      seconds,
    );
  addClientOptions(command, 'FITTINGS_SERVE_TOKEN')
    .addHelpText('after', SERVE_HELP)
    .action(async (servers: readonly string[], options: ServeGatewayOptions & ServeSharedOptions) => {
      if (options.http !== undefined || options.stdio === true) {
        const { serveGateway } = await import('../commands/serve-gateway.js');
        return serveGateway(deps, servers, options);
      }
      if (options.socket === undefined || servers.length > 0) {
        throw new CommandError('CONFIG_INVALID', 'It is not clear how to serve.', {
          hint: 'Add --http <address>, --stdio or --socket.',
        });
      }
      const { serveSharedProcess } = await import('../commands/serve-shared.js');
      return serveSharedProcess(deps, options);
    });
}

export function registerCompletion(program: Command, deps: CommandDeps): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and server names in your shell')
    .showHelpAfterError(
      `Supported shells: ${SHELLS.join(', ')}. Example: fittings completion bash >> ~/.bashrc`,
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'fittings completion bash >> ~/.bashrc',
        'fittings completion zsh > "${fpath[1]}/_fittings"',
        'fittings completion fish > ~/.config/fish/completions/fittings.fish',
      ),
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../commands/completion.js');
      const script = completionScript(shell);
      deps.output.result({ shell, script }, () => script);
    });
  // The completion scripts call this. It prints one candidate per line.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      const { candidates } = await import('../commands/completion.js');
      for (const candidate of await candidates(deps, program, words)) deps.stdout.write(`${candidate}\n`);
    });
}
