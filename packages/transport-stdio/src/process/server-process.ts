import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex, type Readable, type Writable } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core/transport';
import { endingOf, type Ending } from './ending.js';
import type { ExitReaper } from './exit-reaper.js';
import type { Program } from './program.js';
import { createProcessTree } from './process-tree.js';
import { readPaced, type PacedReader } from './read-paced.js';
import { endTree, type ShutdownTimes } from './shutdown-ladder.js';
import type { ChildStderr } from './stderr-target.js';

/** One running server. */
export interface ServerProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  /** From now on it is noticed when the server ends without having read all that it was sent. */
  watchStdin(): void;
  /** True: it ended with something unread. Only POSIX systems tell, and only what was sent after {@link watchStdin}. */
  readonly leftUnread: boolean;
  /** How the process has ended, as soon as it has; what it wrote may still be on its way. */
  readonly exit: Ending | undefined;
  /** Settles when the server is of no more use, after all that it wrote was handed on. */
  readonly ended: Promise<Ending>;
  /**
   * Ends it and what it started, and frees everything. Politely: its stdin is ended first, and it gets time. Safe to
   * call again; must be called also when it ended by itself.
   */
  stop(options: { readonly polite: boolean }): Promise<void>;
}

export interface ServerProcessOptions {
  readonly program: Program;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly stderr: ChildStderr;
  readonly shutdown: ShutdownTimes;
  readonly clock: Clock;
  readonly reaper: ExitReaper;
  readonly stdoutReader: PacedReader;
  readonly stderrReader: PacedReader;
}

/** Starts a server, without any shell. Rejects with the error of the operating system. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { program, env, cwd, clock } = options;
  const child = spawn(program.file, program.args, {
    env,
    ...(cwd !== undefined && { cwd }),
    stdio: ['pipe', 'pipe', options.stderr],
    // A group of its own, to be ended as a whole. On Windows it would be a console of its own.
    detached: process.platform !== 'win32',
    windowsHide: true,
    shell: false,
    windowsVerbatimArguments: program.verbatim,
  });
  for (const stream of [child.stdin, child.stderr]) stream?.on('error', () => undefined);
  await once(child, 'spawn');
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null || child.pid === undefined)
    throw new Error('The child has no pipes.');
  const tree = createProcessTree(child.pid, process.platform);
  const reaped = options.reaper.add(() => tree.killNow());
  let isWatched = false;
  let leftUnread = false;
  stdin.on('error', (error: NodeJS.ErrnoException) => {
    leftUnread ||= isWatched && error.code === 'ECONNRESET';
  });
  // The pipe is a socket: reading from our side fails with ECONNRESET when the other side ends with data unread.
  const watchStdin = (): void => {
    // Deno resets the socket of a child that has read everything, too.
    const isDeno = process.versions['deno'] !== undefined;
    if (process.platform === 'win32' || isDeno || !(stdin instanceof Duplex)) return;
    isWatched = true;
    try {
      stdin._read(0);
    } catch {
      // Another runtime: what is not known is not needed.
    }
  };
  const exited = once(child, 'exit').catch(() => undefined);
  const ended = endingOf({ child, stdin, stdout, exited, clock });
  readPaced(stdout, options.stdoutReader);
  if (child.stderr !== null) readPaced(child.stderr, options.stderrReader);

  const stop = async (polite: boolean): Promise<void> => {
    stdout.removeAllListeners('data');
    // A server that is still writing would never see the end of its stdin.
    if (polite) stdout.resume();
    else stdout.destroy();
    const { shutdown: times } = options;
    const endStdin = polite ? (): void => void stdin.end() : undefined;
    await endTree({ tree, exited, clock, times, endStdin });
    // A process that hangs in the kernel must not keep this one alive.
    child.unref();
    const streams = [stdin, stdout, child.stderr].filter((stream) => stream !== null);
    await Promise.all(streams.map((stream) => closed(stream)));
    reaped[Symbol.dispose]();
  };

  let stopped: Promise<void> | undefined;
  return {
    pid: child.pid,
    stdin,
    get exit(): Ending | undefined {
      const { exitCode, signalCode: signal } = child;
      return exitCode === null && signal === null ? undefined : { kind: 'exited', exitCode, signal };
    },
    ended,
    watchStdin,
    get leftUnread() {
      return leftUnread;
    },
    stop: ({ polite }) => (stopped ??= stop(polite)),
  };
}

async function closed(stream: Readable | Writable): Promise<void> {
  if (stream.closed) return;
  const done = new Promise<void>((resolve) => stream.once('close', resolve));
  stream.destroy();
  await done;
}
