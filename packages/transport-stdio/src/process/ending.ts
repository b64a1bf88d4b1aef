import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { settlesWithin, type Clock } from '@mcp-fittings/client-core/transport';

/** How a server process came to be of no more use. */
export type Ending =
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly kind: 'stdout-closed' }
  | { readonly kind: 'stdin-closed'; readonly cause: unknown }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** After the exit, something that inherited the pipes can keep them open; what was written is read in this time. */
const DRAIN_MS = 250;
/** Between the closing of a pipe and the exit that is probably the cause. */
const EXIT_GRACE_MS = 500;

/** Settles when the server is of no more use, after all that it wrote was handed on. */
export function endingOf(parts: {
  readonly child: EventEmitter;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the process has ended. */
  readonly exited: Promise<unknown>;
  readonly clock: Clock;
}): Promise<Ending> {
  const { child, stdin, stdout, exited, clock } = parts;
  return new Promise((resolve) => {
    const drained = new Promise<void>((done) => child.once('close', () => done()));
    child.once('exit', (exitCode: number | null, signal: string | null) => {
      void (async () => {
        if (!(await settlesWithin(DRAIN_MS, drained, clock))) await turn();
        resolve({ kind: 'exited', exitCode, signal });
      })();
    });
    // On Windows a missing command shows only now, because `cmd.exe` could be started.
    child.on('error', (cause) => resolve({ kind: 'failed', cause }));
    const unlessExiting = async (ending: Ending): Promise<void> => {
      if (!(await settlesWithin(EXIT_GRACE_MS, exited, clock))) resolve(ending);
    };
    stdout.once('close', () => void unlessExiting({ kind: 'stdout-closed' }));
    stdin.once('error', (cause) => void unlessExiting({ kind: 'stdin-closed', cause }));
  });
}

/** Lets the event loop read what is in the pipes. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
