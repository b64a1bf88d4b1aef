import type { FittingsError } from '@mcp-fittings/client-core';
import type { ToolResult } from '@mcp-fittings/host';
import { renderForTerminal } from '@mcp-fittings/tools';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { CommandError } from './hints.js';
import type { Output } from './output.js';

/** Prints the result of a tool. Returns the exit code. */
export function printToolResult(
  output: Output,
  { server, tool }: { readonly server: string; readonly tool: string },
  result: ToolResult,
): ExitCode {
  output.result({ server, tool, ...result }, () => renderForTerminal(result));
  return result.isError === true ? EXIT.failed : EXIT.ok;
}

/**
 * Says what a call may have done that the user has interrupted; undefined if it was not sent. Ctrl-C reaches a local server too, so
 * the call may fail before it is aborted.
 */
export function interruptedCall(error: FittingsError, server: string): CommandError | undefined {
  if (error.delivery !== 'unknown') return undefined;
  return new CommandError('ABORTED', 'Interrupted.', {
    server,
    cause: error,
    delivery: 'unknown',
    hint: 'The call had already been sent: the server may have carried it out.',
  });
}
