import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core';
import type { ExitCode } from './exit-codes.js';
import type { GlobalOptions } from './global-options.js';
import type { LiveRegionOptions } from './output/live-region.js';
import type { Output } from './output/output.js';

/** What every command is given: the world around it, so that a test can be that world. */
export interface CommandContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** A person can be asked: stdin and stderr are a terminal, and `--json` was not given. */
  readonly interactive: boolean;
  /** Aborted by Ctrl-C and by SIGTERM. Everything that waits is given it. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** What stands on the command line for all commands. Read it inside of an action, not while registering. */
  readonly options: GlobalOptions;
  /** Where results and notes go; nothing else writes to the streams. */
  readonly output: Output;
  /** Where lines can be repainted: stderr, when it is a terminal and stdout is not a pipe, whose reader may share it. */
  readonly live: LiveRegionOptions | undefined;
  /** The exit code of the process. Default: 0, and by the error where an action rejects. */
  setExitCode(code: ExitCode): void;
}
