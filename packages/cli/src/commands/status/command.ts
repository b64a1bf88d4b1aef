import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

export interface StatusOptions {
  readonly watch: boolean;
}

export function registerStatus(program: Command, context: CommandContext): void {
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
      const { status } = await import('./run.js');
      await status(context, servers, options);
    });
}
