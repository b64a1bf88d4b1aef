import type { GlobalOptions } from '../options.js';
import { knownSize, type ProcessIo, type TerminalStream } from '../process-io.js';
import { createOutput, type Output } from './output.js';
import { wantsColors } from './style.js';

/** Creates the output of a process, with the colors and the widths that its streams support. */
export function createProcessOutput(
  { stdout, stderr, env }: Pick<ProcessIo, 'stdout' | 'stderr' | 'env'>,
  { json, verbose, color }: Pick<GlobalOptions, 'json' | 'verbose' | 'color'>,
): Output {
  return createOutput({
    stdout,
    stderr,
    json,
    verbose,
    colors: {
      stdout: color && wantsColors(stdout.isTTY === true, env),
      stderr: color && wantsColors(stderr.isTTY === true, env),
    },
    columns: () => columnsOf(stdout),
    noteColumns: () => columnsOf(stderr),
  });
}

/** Returns the columns of a terminal, 80 if it does not know them; undefined for any other stream. */
function columnsOf({ isTTY, columns }: TerminalStream): number | undefined {
  return isTTY === true ? (knownSize(columns) ?? 80) : undefined;
}
