import type { ServerConfig } from '@mcp-fittings/client-core';
import { type LoadedConfig, type ConfigProblem, findLiteralSecrets } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import type { Output } from '../output/output.js';
import { printable } from '../output/printable.js';

/**
 * Prints the problems of the configuration to stderr, one per line. Problems that a command shows with their server are
 * left out.
 */
export function noteProblems(problems: readonly ConfigProblem[], output: Output): void {
  const { noteStyle: style } = output;
  for (const { code, severity, file, line, message, hint, server } of problems) {
    const isTold = code === 'APPROVAL_REQUIRED' || (server !== undefined && severity === 'error');
    if ((isTold || severity === 'info') && !output.verbose) continue;
    const place = file === undefined ? '' : ` ${printable(file)}${line === undefined ? '' : `:${line}`}`;
    const paint = severity === 'error' ? style.red : style.yellow;
    const subject = server === undefined ? '' : ` ${printable(server)}:`;
    const advice = hint === undefined ? '' : ` ${style.dim(printable(hint))}`;
    output.note(`${paint(`${severity}:`)}${place}${subject} ${printable(message)}${advice}`);
  }
}

/**
 * Sets the exit code if a file cannot be used, because the command then does not show everything that is configured.
 */
export function configurationExit(deps: CommandDeps, { problems }: LoadedConfig): void {
  if (problems.some(isOfFile)) deps.setExitCode(EXIT.config);
}

/** Returns the text for an empty table. */
export function noServersText(problems: readonly ConfigProblem[]): string {
  return problems.some(isOfFile)
    ? 'No servers can be shown: see the error above.'
    : 'No servers are configured. Add one: fittings add --help';
}

function isOfFile({ severity, server }: ConfigProblem): boolean {
  return severity === 'error' && server === undefined;
}

/**
 * Returns a note for each secret that an entry holds as text and that is, or after a `dryRun` would be, in a file.
 */
export function secretNotes(entry: ServerConfig, dryRun = false): readonly string[] {
  const verb = dryRun ? 'would be' : 'is now';
  return findLiteralSecrets(entry).map(
    ({ field }) =>
      `The value of ${field.replace(/^(?:env|headers)\./, '')} ${verb} in the file; use \${NAME} to keep it in the environment.`,
  );
}
