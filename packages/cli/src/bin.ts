#!/usr/bin/env node
import { runCli } from './main.js';

/** What still keeps the process alive after this time is not worth waiting for. Milliseconds. */
const GRACE_MS = 2_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const abort = new AbortController();
let endedBy: number | undefined;
for (const [name, code] of Object.entries(SIGNALS)) {
  process.on(name, () => {
    // The second time it is meant.
    if (abort.signal.aborted) process.exit(code);
    endedBy = code;
    abort.abort(new Error(name));
  });
}
// Whoever reads has seen enough: `fittings list tools | head`.
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
  signal: abort.signal,
});
process.exitCode = endedBy ?? code;
setTimeout(() => process.exit(), GRACE_MS).unref();
