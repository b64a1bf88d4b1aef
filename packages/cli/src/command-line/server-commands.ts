import { Argument, type Command, Option } from 'commander';
import type { CommandDeps } from '../command-deps.js';
import type { CallOptions } from '../commands/call.js';
import type { GenerateOptions } from '../commands/generate.js';
import type { InitOptions } from '../commands/init.js';
import type { ListOptions } from '../commands/list.js';
import type { ReadOptions } from '../commands/read.js';
import type { StatusOptions } from '../commands/status.js';
import {
  CLIENT_CALLERS,
  GENERATED_KINDS,
  type GeneratedKind,
  LIST_KINDS,
  type ListKind,
  MODEL_APIS,
} from '../options.js';
import { addRemoteOptions, collect, examples, seconds } from './declare.js';

export function registerStatus(program: Command, deps: CommandDeps): void {
  program
    .command('status')
    .description('connect to all servers, or the named ones, and show their status')
    .argument('[servers...]', 'server names; default: all')
    .option(
      '-w, --watch',
      'keep updating until Ctrl-C; also follows changes to the configuration files',
      false,
    )
    .addHelpText(
      'after',
      examples(
        'fittings status',
        'fittings status github notion --watch',
        "fittings status --json | jq '.totals'",
        `fittings status --strict-mcp-config --mcp-config '{"mcpServers":{"x":{"command":"my-server"}}}'`,
      ) + '\nThe exit code is 1 if an enabled server is not connected, or does not list what it offers.\n',
    )
    .action(async (servers: readonly string[], options: StatusOptions) => {
      const { status } = await import('../commands/status.js');
      await status(deps, servers, options);
    });
}

export function registerList(program: Command, deps: CommandDeps): void {
  const command = program
    .command('list')
    .description(
      'list the configured servers, or what servers offer: tools, prompts, resources and templates',
    )
    .addArgument(new Argument('[kind]', 'what to list').choices(LIST_KINDS).default('servers'))
    .argument('[servers...]', 'server names or, for what they offer, URLs; default: all')
    .option('--refresh', 'ask all servers, even those that were asked less than 10 minutes ago', false);
  addRemoteOptions(command)
    .addHelpText(
      'after',
      examples(
        'fittings list                          # servers, scopes and files; does not connect',
        'fittings list tools',
        'fittings list tools github --verbose   # with arguments',
        'fittings list tools https://mcp.example.com/mcp',
        "fittings list resources --json | jq '.resources[].uri'",
      ),
    )
    .action(async (kind: ListKind, servers: readonly string[], options: ListOptions) => {
      if (kind === 'servers') {
        const { listServers } = await import('../commands/list-servers.js');
        await listServers(deps, servers, options);
      } else {
        const { list } = await import('../commands/list.js');
        await list(deps, kind, servers, options);
      }
    });
}

export function registerCall(program: Command, deps: CommandDeps): void {
  const command = program
    .command('call')
    .description('call a tool; shows its progress, and Ctrl-C cancels it')
    .argument(
      '<tool>',
      'server/tool, or just the name if only one server has it; or a URL, followed by the tool',
    )
    .argument(
      '[arguments...]',
      "name=value, converted to the type in the tool's schema; a.b=value sets a member, and repeating a name makes a list",
    )
    .option('--args <json>', 'all arguments as a JSON object; @file or - for stdin')
    .option('--timeout <seconds>', 'give up after this many seconds without an answer or progress', seconds)
    .option(
      '-o, --output <file>',
      'write the first image, audio or embedded resource of the result to a file',
    );
  addRemoteOptions(command)
    .addHelpText(
      'after',
      examples(
        'fittings call everything/echo message=hi',
        'fittings call search query=mcp limit=3 tags=a tags=b',
        'fittings call https://mcp.example.com/mcp search query=mcp',
        'fittings call everything/get-tiny-image -o image.png',
        'fittings call github/create_issue --args @issue.json --json',
      ) + '\nThe exit code is 1 if the tool reports an error.\n',
    )
    .action(async (tool: string, words: readonly string[], options: CallOptions) => {
      const { call } = await import('../commands/call.js');
      await call(deps, tool, words, options);
    });
}

export function registerRead(program: Command, deps: CommandDeps): void {
  program
    .command('read')
    .description('read a resource')
    .argument('<resource>', 'server/uri, or just the URI if only one server lists it')
    .option('-o, --output <file>', 'write the content to a file, unchanged')
    .addHelpText(
      'after',
      examples(
        'fittings read everything/demo://resource/static/document/features.md',
        'fittings read docs/img://logo -o logo.png',
      ),
    )
    .action(async (resource: string, options: ReadOptions) => {
      const { read } = await import('../commands/read.js');
      await read(deps, resource, options);
    });
}

export function registerPrompt(program: Command, deps: CommandDeps): void {
  program
    .command('prompt')
    .description('get a prompt with its arguments filled in')
    .argument('<prompt>', 'server/prompt, or just the name if only one server has it')
    .argument('[arguments...]', 'name=value')
    .addHelpText('after', examples('fittings prompt everything/args-prompt city=Berlin'))
    .action(async (prompt: string, pairs: readonly string[]) => {
      const { prompt: run } = await import('../commands/prompt.js');
      await run(deps, prompt, pairs);
    });
}

export function registerComplete(program: Command, deps: CommandDeps): void {
  program
    .command('complete')
    .description('get completions for an argument of a prompt or a resource template')
    .addArgument(new Argument('<kind>', 'what the argument belongs to').choices(['prompt', 'resource']))
    .argument('<target>', 'server/prompt, or server/uri-template')
    .argument('<argument>', 'name of the argument')
    .argument('[value]', 'the value typed so far; default: empty')
    .argument('[arguments...]', 'name=value, for arguments that already have their value')
    .addHelpText('after', examples('fittings complete prompt everything/completable-prompt department E'))
    .action(
      async (
        kind: 'prompt' | 'resource',
        target: string,
        argument: string,
        value: string | undefined,
        args: readonly string[],
      ) => {
        const { complete } = await import('../commands/complete.js');
        await complete(deps, { kind, target, argument, value: value ?? '', args });
      },
    );
}

export function registerGenerate(program: Command, deps: CommandDeps): void {
  program
    .command('generate')
    .description('write TypeScript for the tools of a server: their types, or a client for a program')
    .addArgument(new Argument('<kind>', 'what to write').choices(GENERATED_KINDS))
    .argument('<server>', 'name of a configured server')
    .option('-o, --output <file>', 'write it to a file; an existing one is replaced')
    .option('--check', 'do not write the file, but fail if it is not up to date', false)
    .option('--tool <pattern>', 'only tools with this name, * matches any text; can be repeated', collect, [])
    .addOption(
      new Option(
        '--for <program>',
        'what a client calls: a host of mcp-fittings, or the client of an SDK, version 1 or 2; default: host',
      ).choices(CLIENT_CALLERS),
    )
    .option('--closed', 'make properties that a schema allows without listing them an error', false)
    .addHelpText(
      'after',
      examples(
        'fittings generate types github -o src/github.d.ts',
        'fittings generate client github -o src/github.ts',
        "fittings generate client github --tool 'get_*' --for sdk-v2 -o src/github.ts",
        'fittings generate client github -o src/github.ts --check   # in CI',
      ) + '\nThe exit code of --check is 1 if the file is missing or not up to date.\n',
    )
    .action(async (kind: GeneratedKind, server: string, options: GenerateOptions) => {
      const { generate } = await import('../commands/generate.js');
      await generate(deps, kind, server, options);
    });
}

export function registerInit(program: Command, deps: CommandDeps): void {
  program
    .command('init')
    .description('write a program to begin with, in which a model uses your servers')
    .showHelpAfterError('Example: fittings init --model anthropic')
    .addOption(
      new Option('-m, --model <api>', 'the official SDK that the program uses')
        .choices(MODEL_APIS)
        .makeOptionMandatory(),
    )
    .option('--typescript', 'write agent.mts instead of agent.mjs', false)
    .addHelpText(
      'after',
      examples('fittings init --model anthropic', 'fittings init --model openai --typescript') +
        '\nExisting files are not changed. package.json is written if the folder has none.\n',
    )
    .action(async (options: InitOptions) => {
      const { init } = await import('../commands/init.js');
      await init(deps, options);
    });
}
