import { type ConfigProblem, formatProblem } from '@mcp-fittings/config';
import type { Output } from './output.js';

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
  const { severity } = problem;
  const paint = severity === 'error' ? output.noteStyle.red : output.noteStyle.yellow;
  output.note(`${paint(severity)}${formatProblem(problem).slice(severity.length)}`);
}
