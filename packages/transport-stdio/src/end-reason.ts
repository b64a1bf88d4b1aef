import { sanitizeText, type ErrorCode, type FittingsErrorOptions } from '@mcp-fittings/client-core/transport';
import type { Ending } from './process/ending.js';
import type { StderrTail } from './process/stderr-tail.js';

const LINES_IN_MESSAGE = 10;
const LENGTH_IN_MESSAGE = 1000;
/** How much of the server's stderr a program finds in `details` and `describe()`. */
export const STDERR_LINES = 50;
export const STDERR_LENGTH = 4000;

/** Why a server is of no more use, as the parts of an error. */
export function endReason(
  ending: Ending,
  command: string,
  stderr: StderrTail,
): { code: ErrorCode; message: string; options: FittingsErrorOptions } {
  const name = `The process "${sanitizeText(command, { maxLength: 200 })}"`;
  const words = stderr.excerpt({ lines: LINES_IN_MESSAGE, length: LENGTH_IN_MESSAGE });
  const said = words === '' ? '' : ` It wrote on stderr:\n${words}`;
  const details = {
    stderr: stderr.lastLines(STDERR_LINES, STDERR_LENGTH),
    ...(ending.kind === 'exited' && {
      exitCode: ending.exitCode ?? undefined,
      signal: ending.signal ?? undefined,
    }),
  };
  const hint =
    words === '' ? 'It wrote nothing to stderr. Run the command manually to see why it exits.' : undefined;
  const cause = 'cause' in ending ? ending.cause : undefined;
  return {
    code: ending.kind === 'exited' ? 'PROCESS_EXITED' : 'CONNECTION_LOST',
    message: `${name} ${happened(ending)}.${said}`,
    options: { details, hint, cause },
  };
}

function happened(ending: Ending): string {
  if (ending.kind === 'stdout-closed') return 'closed its stdout, so that no answer can come any more';
  if (ending.kind === 'stdin-closed') return 'closed its stdin, so that nothing can be sent any more';
  if (ending.kind === 'failed') return 'failed';
  return ending.signal === null
    ? `exited with code ${String(ending.exitCode)}`
    : `was ended by the signal ${ending.signal}`;
}
