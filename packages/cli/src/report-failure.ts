import type { CommandDeps } from './command-deps.js';
import type { ExitCode } from './exit-codes.js';

/** Prints why a command has failed. Resolves with the exit code. */
export async function reportFailure(
  error: unknown,
  { signal, output }: Pick<CommandDeps, 'signal' | 'output'>,
): Promise<ExitCode> {
  const { exitCodeOf, reportError, unlessInterrupted } = await import('./output/error-report.js');
  const failure = unlessInterrupted(error, signal);
  reportError(failure, output);
  return exitCodeOf(failure);
}
