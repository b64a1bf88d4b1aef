import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

export interface StatusOptions {
  readonly watch: boolean;
}

export function registerStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('connect all servers, or those named, and show how each is doing')
    .argument('[servers...]', 'names of servers')
    .option('-w, --watch', 'go on showing it until Ctrl-C; follows the configuration files too', false)
    .addHelpText(
      'after',
      examples(
        'fittings status',
        'fittings status github notion --watch',
        "fittings status --json | jq '.totals'",
        `fittings status --strict-mcp-config --mcp-config '{"mcpServers":{"x":{"command":"my-server"}}}'`,
      ) + '\nIt ends with 1 when an enabled server is not connected, or does not list what it offers.\n',
    )
    .action(async (servers: readonly string[], options: StatusOptions) => {
      const { status } = await import('./run.js');
      await status(context, servers, options);
    });
}
