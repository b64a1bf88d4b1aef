import { Argument, type Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

export const LIST_KINDS = ['servers', 'tools', 'prompts', 'resources'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

export function registerList(program: Command, context: CommandContext): void {
  program
    .command('list')
    .description(
      'list the configured servers, or what servers offer: tools, prompts, resources and templates',
    )
    .addArgument(new Argument('[kind]', 'what to list').choices(LIST_KINDS).default('servers'))
    .argument('[servers...]', 'server names; default: all')
    .addHelpText(
      'after',
      examples(
        'fittings list                          # servers, scopes and files; does not connect',
        'fittings list tools',
        'fittings list tools github --verbose   # with arguments',
        "fittings list resources --json | jq '.resources[].uri'",
      ),
    )
    .action(async (kind: ListKind, servers: readonly string[]) => {
      if (kind === 'servers') {
        const { listServers } = await import('./list-servers.js');
        await listServers(context, servers);
      } else {
        const { list } = await import('./run.js');
        await list(context, kind, servers);
      }
    });
}
