import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core';

/** The streams, environment and signals of the process. Tests pass their own. */
export interface ProcessIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & TerminalStream;
  readonly stderr: Writable & TerminalStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** File of this program, with which it starts the shared process. Default: it cannot. */
  readonly programFile?: string | undefined;
  /** Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Aborted when the user or the system stops the process. */
  readonly signal: AbortSignal;
}

/** Describes the terminal of a stream. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Returns whether the user can be asked: stdin and stderr are a terminal, and there is no `--json`. Does not open stdin needlessly. */
export function isInteractive(
  io: Pick<ProcessIo, 'stdin' | 'stderr'>,
  { json }: { readonly json: boolean },
): boolean {
  return !json && io.stderr.isTTY === true && io.stdin.isTTY === true;
}

/** Returns the columns or rows of a terminal; undefined if it does not know them, and reports 0 or nothing. */
export function knownSize(size: number | undefined): number | undefined {
  return size === undefined || size <= 0 ? undefined : size;
}
