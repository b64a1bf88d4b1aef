import type { CallRequest } from './call-request.js';
import { createCommandRun } from './command-deps.js';
import { call } from './commands/call.js';
import type { ExitCode } from './exit-codes.js';
import type { ProcessIo } from './process-io.js';
import { reportFailure } from './report-failure.js';

/** Runs a plain `call` as `runCli` does, without the declarations of all commands. Resolves with the exit code and never rejects. */
export async function runCall(request: CallRequest, io: ProcessIo): Promise<ExitCode> {
  const { target, pairs, args } = request;
  const run = createCommandRun(io, () => ({ ...request, plugin: [] }));
  await run.prepare();
  try {
    await call(run.deps, target, { arg: pairs, ...(args !== undefined && { args }) });
    return run.exitCode;
  } catch (error) {
    return reportFailure(error, run.deps);
  }
}
