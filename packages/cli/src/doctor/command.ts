import type { Command } from 'commander';
import { seconds } from '../arguments/seconds.js';
import type { CommandContext } from '../command-context.js';

const EXAMPLES = `
Examples:
  $ fittings doctor github      why does this server not work?
  $ fittings doctor --json      all servers, for a script

It starts or contacts each server once. Servers that are not approved are left alone. Exit code 1: something is wrong.
`;

export function registerDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('Find out what is wrong with a server, or with all of them, and what to do about it.')
    .argument('[server]', 'one server; default: all')
    .option('--timeout <seconds>', 'how long one connection may take', seconds, 15)
    .addHelpText('after', EXAMPLES)
    .action(async (server: string | undefined, { timeout }: { readonly timeout: number }) => {
      const { runDoctor } = await import('./run-doctor.js');
      await runDoctor(server, timeout * 1000, context);
    });
}
