import type { LoadedConfig, ConfigProblem } from '@mcp-fittings/config';
import type { CommandContext } from '../command-context.js';
import { EXIT } from '../exit-codes.js';
import type { Output } from '../output/output.js';
import { shown } from '../output/shown.js';

/** What is wrong with the configuration, on stderr, one line each. What keeps one server away stands with that server. */
export function noteProblems(problems: readonly ConfigProblem[], output: Output): void {
  const { noteStyle: style } = output;
  for (const { code, severity, file, line, message, hint, server } of problems) {
    const isTold = code === 'APPROVAL_REQUIRED' || (server !== undefined && severity === 'error');
    if ((isTold || severity === 'info') && !output.verbose) continue;
    const place = file === undefined ? '' : ` ${shown(file)}${line === undefined ? '' : `:${line}`}`;
    const paint = severity === 'error' ? style.red : style.yellow;
    const subject = server === undefined ? '' : ` ${shown(server)}:`;
    const advice = hint === undefined ? '' : ` ${style.dim(shown(hint))}`;
    output.note(`${paint(`${severity}:`)}${place}${subject} ${shown(message)}${advice}`);
  }
}

/** A file that cannot be used is a failure of its own: what the command shows is not all that was configured. */
export function configurationExit(context: CommandContext, { problems }: LoadedConfig): void {
  if (problems.some(isOfFile)) context.setExitCode(EXIT.config);
}

/** What stands in place of an empty table. Servers of a file that cannot be read are not known, but may be configured. */
export function noServersText(problems: readonly ConfigProblem[]): string {
  return problems.some(isOfFile)
    ? 'No servers can be shown: see the error above.'
    : 'No servers are configured. Add one: fittings add --help';
}

function isOfFile({ severity, server }: ConfigProblem): boolean {
  return severity === 'error' && server === undefined;
}
