import { FittingsError } from '@mcp-fittings/client-core';
import type { Engine } from '@mcp-fittings/host';
import { native } from '@mcp-fittings/host/native';
import type { CommandDeps } from './command-deps.js';
import type { ExitCode } from './exit-codes.js';
import { interruptedCall } from './output/call-output.js';
import { packageVersion } from './version.js';

// What a local call needs while its server starts, and after that. It is loaded then.
export { printToolResult } from './output/call-output.js';
export { createProcessOutput } from './output/process-output.js';

/** Creates the engine, which introduces itself as that of every command. */
export function engine(): Engine {
  return native({ name: 'fittings', version: packageVersion() });
}

/** Prints why a call has failed, as every command does. Resolves with the exit code. */
export async function reportFailedCall(
  error: unknown,
  server: string,
  { signal, output }: Pick<CommandDeps, 'signal' | 'output'>,
): Promise<ExitCode> {
  const { reportFailure } = await import('./report-failure.js');
  const interrupted =
    signal.aborted && error instanceof FittingsError ? interruptedCall(error, server) : undefined;
  return reportFailure(interrupted ?? error, { signal, output });
}
