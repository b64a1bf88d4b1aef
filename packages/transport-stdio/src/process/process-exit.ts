import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Clock, ErrorCode, FittingsErrorOptions } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';
import { QUARANTINE } from './spawn-failure.js';
import type { StderrTail } from './stderr-tail.js';

/** Says how a server process became unusable. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly kind: 'stdout-closed' }
  | { readonly kind: 'stdin-closed'; readonly cause: unknown }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** After the exit, a process that inherited the pipes can keep them open. What was written is read within this time, in ms. */
const DRAIN_MS = 250;
/** Milliseconds between the closing of a pipe and the exit that is probably the cause. */
const EXIT_GRACE_MS = 500;

/** Resolves when the server is unusable and all of its output has been delivered. */
export function waitForEnd(options: {
  readonly child: EventEmitter;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the process has ended. */
  readonly exited: Promise<unknown>;
  readonly clock: Clock;
}): Promise<ProcessEnd> {
  const { child, stdin, stdout, exited, clock } = options;
  return new Promise((resolve) => {
    const drained = new Promise<void>((done) => child.once('close', () => done()));
    child.once('exit', (exitCode: number | null, signal: string | null) => {
      void (async () => {
        if (!(await settlesWithin(DRAIN_MS, drained, clock))) await turn();
        resolve({ kind: 'exited', exitCode, signal });
      })();
    });
    // On Windows a missing command shows only now, because `cmd.exe` has started.
    child.on('error', (cause) => resolve({ kind: 'failed', cause }));
    const unlessExiting = async (end: ProcessEnd): Promise<void> => {
      if (!(await settlesWithin(EXIT_GRACE_MS, exited, clock))) resolve(end);
    };
    stdout.once('close', () => void unlessExiting({ kind: 'stdout-closed' }));
    stdin.once('error', (cause) => void unlessExiting({ kind: 'stdin-closed', cause }));
  });
}

/** Lets the event loop read what is in the pipes. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const LINES_IN_MESSAGE = 10;
const LENGTH_IN_MESSAGE = 1000;
/** Maximum length of the server's stderr in `details` and `describe()`. */
export const STDERR_LINES = 50;
export const STDERR_LENGTH = 4000;

/** Describes why a server is unusable, as the arguments of an error. `noise` is what it wrote to stdout in place of messages. */
export function describeEnd(
  end: ProcessEnd,
  command: string,
  stderr: StderrTail,
  noise = '',
  platform = process.platform,
): { code: ErrorCode; message: string; options: FittingsErrorOptions } {
  const name = `The process "${sanitizeText(command, { maxLength: 200 })}"`;
  const words = stderr.excerpt({ lines: LINES_IN_MESSAGE, length: LENGTH_IN_MESSAGE });
  const said = words === '' ? ` ${noise}`.trimEnd() : ` It wrote to stderr:\n${words}`;
  const details = {
    stderr: stderr.lastLines(STDERR_LINES, STDERR_LENGTH),
    ...(end.kind === 'exited' && {
      exitCode: end.exitCode ?? undefined,
      signal: end.signal ?? undefined,
    }),
  };
  const isStopped = platform === 'darwin' && end.kind === 'exited' && end.signal === 'SIGKILL';
  const hint = isStopped
    ? QUARANTINE
    : 'It wrote nothing to stderr. Run the command manually to see why it exits.';
  const cause = 'cause' in end ? end.cause : undefined;
  return {
    code: end.kind === 'exited' ? 'PROCESS_EXITED' : 'CONNECTION_LOST',
    message: `${name} ${happened(end)}.${said}`,
    options: { details, hint: words === '' ? hint : undefined, cause },
  };
}

function happened(end: ProcessEnd): string {
  if (end.kind === 'stdout-closed') return 'closed its stdout, so no response can arrive';
  if (end.kind === 'stdin-closed') return 'closed its stdin, so nothing can be sent';
  if (end.kind === 'failed') return 'failed';
  return end.signal === null
    ? `exited with code ${end.exitCode}`
    : `was terminated by the signal ${end.signal}`;
}
