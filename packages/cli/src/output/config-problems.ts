import type { ConfigProblem } from '@mcp-fittings/config';
import type { Output } from './output.js';
import { printable } from './printable.js';

/** Returns whether a problem is that a whole file cannot be used. */
export function isOfFile({ severity, server }: ConfigProblem): boolean {
  return severity === 'error' && server === undefined;
}

/** Prints to stderr which files cannot be used, so that no command works with a part of the configuration in silence. */
export function noteUnreadFiles(problems: readonly ConfigProblem[], output: Output): void {
  for (const problem of problems.filter(isOfFile)) noteProblem(problem, output);
}

/** Prints a problem to stderr, in one line. */
export function noteProblem(problem: ConfigProblem, output: Output): void {
  const { severity, file, line, message, hint, server } = problem;
  const { noteStyle: style } = output;
  const place = file === undefined ? '' : ` ${printable(file)}${line === undefined ? '' : `:${line}`}`;
  const paint = severity === 'error' ? style.red : style.yellow;
  const subject = server === undefined ? '' : ` ${printable(server)}:`;
  const advice = hint === undefined ? '' : ` ${style.dim(printable(hint))}`;
  output.note(`${paint(`${severity}:`)}${place}${subject} ${printable(message)}${advice}`);
}
