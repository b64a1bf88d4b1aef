import type { GlobalOptions } from '../options.js';
import type { ProcessIo } from '../process-io.js';
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

/** A terminal that does not know its size reports 0. */
function columnsOf({ isTTY, columns = 0 }: ProcessIo['stdout']): number | undefined {
  if (isTTY !== true) return undefined;
  return columns > 0 ? columns : 80;
}
