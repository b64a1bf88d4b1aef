import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core';
import type { Program } from '@mcp-fittings/toolbox/programs';
import { waitForEnd, type ProcessEnd } from './process-exit.js';
import { killAtExit } from './kill-at-exit.js';
import { createProcessTree } from './process-tree.js';
import type { StdioTransportOptions } from '../options.js';
import { endTree } from './shutdown-ladder.js';
import type { ChildStderr } from './spawn-failure.js';

/** One running server. */
export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>;

export interface ServerProcessOptions {
  readonly program: Program;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly stderr: ChildStderr;
  readonly shutdown: NonNullable<StdioTransportOptions['shutdown']>;
  readonly clock: Clock;
  /** Pauses the stream while there is too much work: Node.js would deliver dozens of chunks at once while other servers wait. */
  readonly onStdout: (chunk: Uint8Array, stream: Readable) => void;
  readonly onStderr: (chunk: Uint8Array, stream: Readable) => void;
}

/**
 * Starts a server without a shell. Rejects with the error of the operating system. What Node.js needs for a child process, 2 ms, is
 * loaded with the first one: a program that imports the transport may start none.
 */
export async function startServerProcess(options: ServerProcessOptions) {
  const { program, env, cwd, clock } = options;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { Duplex } = process.getBuiltinModule('node:stream');
  const child = spawn(program.file, program.args, {
    env,
    ...(cwd !== undefined && { cwd }),
    stdio: ['pipe', 'pipe', options.stderr],
    // A process group of its own, which is ended as a whole. On Windows it would be a console of its own.
    detached: process.platform !== 'win32',
    windowsHide: true,
    shell: false,
    windowsVerbatimArguments: program.verbatim,
  });
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  await once(child, 'spawn');
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null || child.pid === undefined)
    throw new Error('The child has no pipes.');
  const tree = createProcessTree(child.pid, process.platform, () => void child.kill('SIGKILL'));
  const atExit = killAtExit(() => tree.killNow());
  let isWatched = false;
  let leftUnread = false;
  stdin.on('error', (error: NodeJS.ErrnoException) => {
    leftUnread ||= isWatched && error.code === 'ECONNRESET';
  });
  // The pipe is a socket: reading from our side fails with ECONNRESET when the other side closes it with unread data.
  const watchStdin = (): void => {
    // Deno resets the socket of a child that has read everything, too.
    const isDeno = process.versions['deno'] !== undefined;
    if (process.platform === 'win32' || isDeno || !(stdin instanceof Duplex)) return;
    isWatched = true;
    try {
      stdin._read(0);
    } catch {
      // Another runtime, where this is not known.
    }
  };
  const exited = once(child, 'exit').catch(() => undefined);
  const ended = waitForEnd({ child, stdin, stdout, exited, clock });
  const { stderr } = child;
  stdout.on('data', (chunk: Uint8Array) => options.onStdout(chunk, stdout));
  stderr?.on('data', (chunk: Uint8Array) => options.onStderr(chunk, stderr));

  const stop = async (polite: boolean): Promise<boolean> => {
    stdout.removeAllListeners('data');
    // A server that is blocked while writing would never see the end of its stdin.
    if (polite) stdout.resume();
    else stdout.destroy();
    const { shutdown: times } = options;
    const endStdin = polite ? (): void => void stdin.end() : undefined;
    const isGone = await endTree({ tree, exited, clock, times, endStdin });
    // A process that hangs in the kernel must not keep this one alive.
    child.unref();
    const streams = [stdin, stdout, stderr].filter((stream) => stream !== null);
    await Promise.all(streams.map((stream) => closed(stream)));
    atExit[Symbol.dispose]();
    return isGone;
  };

  let stopped: Promise<boolean> | undefined;
  return {
    pid: child.pid,
    stdin,
    /** Exit of the process, as soon as it has exited; its output may still be on its way. */
    get exit(): ProcessEnd | undefined {
      const { exitCode, signalCode: signal } = child;
      return exitCode === null && signal === null ? undefined : { kind: 'exited', exitCode, signal };
    },
    /** Resolves when the server is unusable and all of its output has been delivered. */
    ended,
    /** From now on, `leftUnread` notices when the server exits without having read everything it was sent. */
    watchStdin,
    /** Is true if it exited with unread input. Only POSIX systems tell, and only for what was sent after `watchStdin()`. */
    get leftUnread() {
      return leftUnread;
    },
    /**
     * Ends the server and everything it started, and frees all resources. With `polite`, its stdin is closed first and it gets
     * time to exit. Must be called also when the server exited by itself; later calls do nothing. Resolves with false if a process
     * could not be ended.
     */
    stop: ({ polite }: { readonly polite: boolean }) => (stopped ??= stop(polite)),
  };
}

async function closed(stream: Readable | Writable): Promise<void> {
  if (stream.closed) return;
  const done = new Promise<void>((resolve) => stream.once('close', resolve));
  stream.destroy();
  await done;
}
