import type { CallRequest } from './call-request.js';

/** How long the process may stay alive after a command has ended, in milliseconds. */
const GRACE_MS = 2_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Runs the command line of this process to its end. `request` is what it says, if that is known to be a plain call. */
export async function runProcess(request: CallRequest | undefined): Promise<void> {
  const abort = new AbortController();
  let endedBy: number | undefined;
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      // The second signal ends the process at once.
      if (abort.signal.aborted) process.exit(code);
      endedBy = code;
      abort.abort(new Error(name));
    });
  }
  // The reader of a pipe has closed it, as in `fittings list tools | head`.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      endedBy ??= 0;
      abort.abort(error);
    });
  }

  const { stdin, stdout, stderr, env, argv } = process;
  const io = { stdin, stdout, stderr, env, cwd: process.cwd(), programFile: argv[1], signal: abort.signal };
  const code =
    request === undefined
      ? await (await import('./main.js')).runCli(argv.slice(2), io)
      : await (await import('./run-call.js')).runCall(request, io);
  process.exitCode = endedBy ?? code;
  setTimeout(() => process.exit(), GRACE_MS).unref();
}
