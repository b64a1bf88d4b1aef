import type { Command } from 'commander';
import { seconds } from '../arguments/seconds.js';
import type { CommandContext } from '../command-context.js';

const EXAMPLES = `
Examples:
  $ fittings doctor github      find out why this server does not work
  $ fittings doctor --json      all servers, for a script

Each server is started or contacted once. Servers that are not approved are skipped.
The exit code is 1 if a problem is found.
`;

export function registerDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('find out what is wrong with one server or all servers, and how to fix it')
    .argument('[server]', 'one server; default: all')
    .option('--timeout <seconds>', 'time limit for each connection', seconds, 15)
    .addHelpText('after', EXAMPLES)
    .action(async (server: string | undefined, { timeout }: { readonly timeout: number }) => {
      const { runDoctor } = await import('./run-doctor.js');
      await runDoctor(server, timeout * 1000, context);
    });
}
