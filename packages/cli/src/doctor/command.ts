import { InvalidArgumentError, type Command } from 'commander';
import type { CommandContext } from '../command-context.js';

const EXAMPLES = `
Examples:
  $ fittings doctor github      why does this server not work?
  $ fittings doctor --json      all servers, for a script

It starts or contacts each server once. What nobody has approved is not touched. Exit code 1: something is wrong.
`;

export function registerDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('Find out what is wrong with a server, or with all of them, and what to do about it.')
    .argument('[server]', 'one server; default: all')
    .option('--timeout <ms>', 'how long one connection may take', milliseconds, 15_000)
    .addHelpText('after', EXAMPLES)
    .action(async (server: string | undefined, { timeout }: { readonly timeout: number }) => {
      const { runDoctor } = await import('./run-doctor.js');
      await runDoctor(server, timeout, context);
    });
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It has to be a number of milliseconds.');
  return value;
}
