import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core';

/** The process as the CLI sees it; tests put their own in its place. */
export interface ProcessIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & TerminalStream;
  readonly stderr: Writable & TerminalStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Aborted when the person, or the system, wants it to end. */
  readonly signal: AbortSignal;
}

interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}
