import { setMaxListeners } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { GlobalOptions } from './options.js';
import type { LiveRegionOptions } from './output/live-region.js';
import type { Output } from './output/output.js';
import { isInteractive, knownSize, type ProcessIo } from './process-io.js';

/** Gives every command what it depends on. Tests replace all of it. */
export interface CommandDeps {
  readonly stdin: Readable;
  /** For messages of a bridge and completions. Results go through `output`. */
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current directory. */
  readonly cwd: string;
  /** File of this program; undefined if it does not run as one. */
  readonly programFile: string | undefined;
  /** Is true if the user can be asked: see {@link isInteractive}. */
  readonly interactive: boolean;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The global options. Available in the action of a command, not while commands are registered. */
  readonly options: GlobalOptions;
  /** Prints results and notes. Nothing else writes to stdout and stderr. */
  readonly output: Output;
  /**
   * Repaints lines: stderr if it is a terminal, and stdout is not a pipe whose reader may use the same
   * terminal. Else undefined.
   */
  readonly live: LiveRegionOptions | undefined;
  /** Repaints lines on stdout, if it is a terminal that can. */
  readonly screen: LiveRegionOptions | undefined;
  /** Sets the exit code of the process. Default: 0, or by the error with which the command rejects. */
  setExitCode(code: ExitCode): void;
}

/** One run of the command line. */
export interface CommandRun {
  readonly deps: CommandDeps;
  /** The exit code so far. */
  readonly exitCode: ExitCode;
  /**
   * Loads what all commands use. Before that, `deps` can only be passed on to register commands, so that `--help` is
   * quick.
   */
  prepare(): Promise<void>;
}

/**
 * Creates the dependencies of one command. `options` is called late, because commands are registered before the options
 * are parsed.
 */
export function createCommandRun(io: ProcessIo, options: () => GlobalOptions): CommandRun {
  const { env, cwd, programFile, signal } = io;
  // Every server adds a listener.
  setMaxListeners(0, signal);
  let exitCode: ExitCode = EXIT.ok;
  let loaded: { readonly output: Output; readonly clock: Clock } | undefined;
  const prepared = (): NonNullable<typeof loaded> => {
    if (loaded === undefined) throw new Error('The dependencies are used before a command runs.');
    return loaded;
  };
  return {
    get exitCode() {
      return exitCode;
    },
    async prepare() {
      const { systemClock } = await import('@mcp-fittings/toolbox/timing');
      const { createProcessOutput } = await import('./output/process-output.js');
      const output = createProcessOutput(io, options());
      loaded = { output, clock: io.clock ?? systemClock };
    },
    deps: {
      // To open it costs a run that does not read it its time.
      get stdin() {
        return io.stdin;
      },
      get stdout() {
        return io.stdout;
      },
      get stderr() {
        return io.stderr;
      },
      env,
      cwd,
      programFile,
      signal,
      get clock() {
        return prepared().clock;
      },
      get output() {
        return prepared().output;
      },
      get interactive() {
        return isInteractive(io, options());
      },
      get options() {
        return options();
      },
      get live() {
        return sharesTerminal(io.stdout) ? undefined : repaintable(io.stderr, env);
      },
      get screen() {
        return repaintable(io.stdout, env);
      },
      setExitCode(code) {
        exitCode = code;
      },
    },
  };
}

/**
 * Returns whether the reader of stdout may write to the same terminal, as `| cat`, `| less` and `| fzf` do. Moving the cursor
 * would erase what it wrote.
 */
function sharesTerminal(stdout: ProcessIo['stdout']): boolean {
  return stdout.isTTY !== true && stdout instanceof Socket;
}

/** Returns how to repaint lines of a stream; undefined if it is not a terminal, or a dumb one, which prints cursor movements as text. */
function repaintable(stream: ProcessIo['stdout'], env: ProcessIo['env']): LiveRegionOptions | undefined {
  if (stream.isTTY !== true || env['TERM'] === 'dumb') return undefined;
  return {
    stream,
    columns: () => knownSize(stream.columns) ?? 80,
    rows: () => knownSize(stream.rows) ?? 24,
  };
}
