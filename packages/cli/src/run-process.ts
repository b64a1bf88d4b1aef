import { runCli } from './main.js';

/** How long the process may stay alive after a command has ended, in milliseconds. */
const GRACE_MS = 2_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Runs the command line of this process to its end. */
export async function runProcess(): Promise<void> {
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

  const code = await runCli(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    programFile: process.argv[1],
    signal: abort.signal,
  });
  process.exitCode = endedBy ?? code;
  setTimeout(() => process.exit(), GRACE_MS).unref();
}
