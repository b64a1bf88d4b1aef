import type { ServerConfig } from '@mcp-fittings/client-core';
import { type LoadedConfig, type ConfigProblem, moveSecretsToVariables } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import { isOfFile, noteProblem } from '../output/config-problems.js';
import { CommandError } from '../output/hints.js';
import type { Output } from '../output/output.js';

/**
 * Prints the problems of servers, and warnings about files, to stderr, one per line. Approvals are told where they are needed.
 *
 * @param tellsErrors Whether the command shows the errors of servers itself.
 */
export function noteProblems(
  problems: readonly ConfigProblem[],
  output: Output,
  { tellsErrors = false }: { readonly tellsErrors?: boolean } = {},
): void {
  for (const problem of problems) {
    if (isOfFile(problem)) continue;
    const { code, severity, server } = problem;
    const isTold =
      code === 'APPROVAL_REQUIRED' || (tellsErrors && server !== undefined && severity === 'error');
    if (output.verbose || !(isTold || severity === 'info')) noteProblem(problem, output);
  }
}

/**
 * Sets the exit code if a file cannot be used, because the command then does not show everything that is configured.
 */
export function configurationExit(deps: CommandDeps, { problems }: LoadedConfig): void {
  if (problems.some(isOfFile)) deps.exitCode = EXIT.config;
}

/**
 * Throws `CONFIG_INVALID` if a file cannot be used, for commands that have found nothing without it.
 *
 * @param done What a server cannot be, such as `exported`.
 */
export function refuseUnread({ problems }: LoadedConfig, done: string): void {
  if (!problems.some(isOfFile)) return;
  throw new CommandError('CONFIG_INVALID', `No server can be ${done}: a file cannot be used.`, {
    hint: 'Correct the file that the error above names.',
  });
}

/** Returns the text for an empty table. */
export function noServersText(problems: readonly ConfigProblem[]): string {
  return problems.some(({ server, severity }) => server === undefined && severity !== 'info')
    ? 'No servers can be shown: see above.'
    : 'No servers are configured. Add one: fittings add --help';
}

/**
 * Returns a note for each secret that an entry holds as text and that is, or after a `dryRun` would be, in a file.
 */
export function secretNotes(entry: ServerConfig, dryRun = false): readonly string[] {
  const verb = dryRun ? 'would be' : 'is now';
  return moveSecretsToVariables('server', entry).variables.map(
    ({ field }) =>
      `The value of ${field.replace(/^(?:env|headers)\./, '')} ${verb} in the file; use \${NAME} to keep it in the environment.`,
  );
}
