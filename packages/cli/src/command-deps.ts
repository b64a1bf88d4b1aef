import { setMaxListeners } from 'node:events';
import type { Clock } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { GlobalOptions } from './options.js';
import { Output } from './output/output.js';
import type { ProcessIo } from './process-io.js';

/** Gives every command what it depends on. */
export class CommandDeps {
  readonly env: ProcessIo['env'];
  /** The current directory. */
  readonly cwd: string;
  /** File of this program; undefined if it does not run as one. */
  readonly programFile: string | undefined;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The exit code of the process, unless the command rejects. */
  exitCode: ExitCode = EXIT.ok;
  readonly #io: ProcessIo;
  readonly #options: () => GlobalOptions;
  #output: Output | undefined;

  /** `options` is called late, because commands are registered before the options are parsed. */
  constructor(io: ProcessIo, options: () => GlobalOptions) {
    const { env, cwd, programFile, signal, clock = systemClock } = io;
    // Every server adds a listener.
    setMaxListeners(0, signal);
    this.env = env;
    this.cwd = cwd;
    this.programFile = programFile;
    this.signal = signal;
    this.clock = clock;
    this.#io = io;
    this.#options = options;
  }

  // To open a stream costs a run that does not use it its time.
  get stdin(): ProcessIo['stdin'] {
    return this.#io.stdin;
  }

  /** For messages of a bridge and completions. Results go through `output`. */
  get stdout(): ProcessIo['stdout'] {
    return this.#io.stdout;
  }

  get stderr(): ProcessIo['stderr'] {
    return this.#io.stderr;
  }

  /** The global options. Available in the action of a command, not while commands are registered. */
  get options(): GlobalOptions {
    return this.#options();
  }

  /** Prints results and notes. Nothing else writes to stdout and stderr. */
  get output(): Output {
    return (this.#output ??= new Output(this.#io, this.options));
  }

  /**
   * Is true if the user can be asked: stdin and stderr are a terminal that can move its cursor, as prompts do, and there is no
   * `--json`. Does not open stdin needlessly.
   */
  get interactive(): boolean {
    const isDumb = this.env['TERM'] === 'dumb';
    return !this.options.json && !isDumb && this.stderr.isTTY === true && this.stdin.isTTY === true;
  }
}
