import type { Stream } from 'node:stream';

/** What a child process can have as its stderr. */
export type ChildStderr = 'pipe' | 'overlapped' | 'inherit' | 'ignore' | Stream | number;

/** Why the child cannot have this as its stderr, and what to do. */
export interface StderrProblem {
  readonly message: string;
  readonly hint: string;
}

const NAMES: ReadonlySet<unknown> = new Set(['pipe', 'overlapped', 'inherit', 'ignore']);

/** Finds what Node.js would refuse, also in a program without types. */
export function problemOfStderr(stderr: unknown): StderrProblem | undefined {
  if (typeof stderr === 'number' && (!Number.isInteger(stderr) || stderr < 0)) {
    return { message: '`stderr` is not a file descriptor.', hint: 'Give an integer from 0.' };
  }
  if (typeof stderr === 'number' || NAMES.has(stderr)) return undefined;
  if (typeof stderr !== 'object' || stderr === null) {
    return {
      message: '`stderr` has a value that it cannot have.',
      hint: "Give 'capture', 'pipe', 'overlapped', 'inherit', 'ignore', a stream, a file descriptor, or a function.",
    };
  }
  return undefined;
}
