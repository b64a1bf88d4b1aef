import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core';

/** The streams, environment and signals of the process. Tests pass their own. */
export interface ProcessIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** File of this program, with which it starts the shared process. Default: it cannot. */
  readonly programFile?: string | undefined;
  /** Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Aborted when the user or the system stops the process. */
  readonly signal: AbortSignal;
}

/** A stream that may be a terminal. It emits `resize` when its size changes. */
export type TerminalStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Returns the columns of a terminal, 80 if it does not know them. */
export function columnsOf({ columns }: Pick<TerminalStream, 'columns'>): number {
  return knownSize(columns) ?? 80;
}

/** Returns the columns or rows of a terminal; undefined if it does not know them, and reports 0 or nothing. */
export function knownSize(size: number | undefined): number | undefined {
  return size === undefined || size <= 0 ? undefined : size;
}
