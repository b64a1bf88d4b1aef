import type { CallRequest } from './call-request.js';
import { watchProcessStop } from './process-end.js';

/** Runs the command line of this process to its end. `request` is what it says, if that is known to be a plain call. */
export async function runProcess(request: CallRequest | undefined): Promise<void> {
  const stop = watchProcessStop();
  stop.watchOutput();
  const { stdin, stdout, stderr, env, argv } = process;
  const io = { stdin, stdout, stderr, env, cwd: process.cwd(), programFile: argv[1], signal: stop.signal };
  const code =
    request === undefined
      ? await (await import('./main.js')).runCli(argv.slice(2), io)
      : await (await import('./run-call.js')).runCall(request, io);
  stop.end(code);
}
