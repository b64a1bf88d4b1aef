#!/usr/bin/env node
import { mkdirSync } from 'node:fs';
import { Module } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Limits how long the process stays alive after a command has ended and its output was read, in milliseconds. */
const GRACE_MS = 2_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The oldest Node.js that runs the program, as `engines` of its package says. */
const OLDEST = [20, 19] as const;

/** Runs the command line of this process to its end. */
async function run(): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    process.stderr.write(
      `fittings needs Node.js ${OLDEST.join('.')} or newer, and this is ${process.versions.node}. Install a newer one: https://nodejs.org\n`,
    );
    process.exitCode = 1;
    return;
  }
  if ('enableCompileCache' in Module) await keepCompiledCode();
  const abort = new AbortController();
  let endedBy: number | undefined;
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      // The second one ends the process at once.
      if (abort.signal.aborted) process.exit(code);
      endedBy = code;
      abort.abort(new Error(name));
    });
  }
  const onError = (error: NodeJS.ErrnoException): void => {
    // The reader of a pipe has closed it, as in `fittings list tools | head`, or the terminal was closed.
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    endedBy ??= 0;
    abort.abort(error);
  };
  const { runCli } = await import('./main.js');
  // Each stream is opened when it is used.
  const code = await runCli(process.argv.slice(2), {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return watched(process.stdout, onError);
    },
    get stderr() {
      return watched(process.stderr, onError);
    },
    env: process.env,
    cwd: process.cwd(),
    programFile: process.argv[1],
    signal: abort.signal,
  });
  process.exitCode = endedBy ?? code;
  // A result that a slow reader has not read yet is not lost.
  setTimeout(() => process.stdout.write('', () => process.exit()), GRACE_MS).unref();
}

/**
 * Lets Node.js, 22.1 or newer, keep the code that it compiles from here on for the next run. Compiled code runs as it is
 * found, so it lies in the account's own home directory, whatever `HOME` says, in a folder that only its owner can read and
 * write. Without such a folder, nothing is kept.
 */
async function keepCompiledCode(): Promise<void> {
  try {
    const { checkPrivateDirectory, ownFolder } = await import('@mcp-fittings/toolbox/files');
    const compiled = join(ownFolder('cache', userInfo().homedir), 'compiled');
    mkdirSync(compiled, { recursive: true, mode: 0o700 });
    await checkPrivateDirectory(compiled);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types are those of Node.js 20, which does not have it
    (Module as unknown as { enableCompileCache: (folder: string) => unknown }).enableCompileCache(compiled);
  } catch {
    // The program runs without it: the account has no home directory, or none that it can write to.
  }
}

function watched<T extends NodeJS.WriteStream>(stream: T, onError: (error: Error) => void): T {
  return stream.listeners('error').includes(onError) ? stream : stream.on('error', onError);
}

void run();
