import { win32 } from 'node:path';
import type { ErrorCode, FittingsErrorOptions } from '@mcp-fittings/client-core';
import type { Program } from './find-program.js';

/** Arguments of the error that explains why a program cannot be started. */
export interface ProgramRefusal {
  /** Code of the error. */
  readonly code: ErrorCode;
  /** A sentence that names neither the server nor an argument. */
  readonly message: string;
  /** Hint and cause of the error. */
  readonly options: FittingsErrorOptions;
}

/** Longest command line of `cmd.exe`. */
const MAX_LENGTH = 8191;

/**
 * Returns how to run a batch file with `cmd.exe`, which parses its arguments twice: once itself, and again where the batch
 * file says `%*`. No escape works in both: a quote ends the quoted part in one of them, `%NAME%` is replaced by a value that
 * may contain a quote, and a line break ends the command. Such arguments are rejected; all others are quoted.
 * @see https://blog.rust-lang.org/2024/04/09/cve-2024-24576/
 */
export function runThroughCmd(
  file: string,
  args: readonly string[],
  systemRoot = String.raw`C:\Windows`,
): Program | ProgramRefusal {
  const line = `"${[file, ...args].map(quoted).join(' ')}"`;
  // oxlint-disable-next-line no-control-regex -- control characters are what must not pass
  const index = [file, ...args].findIndex((word) => /["%\u0000-\u001f]/.test(word));
  if (index === -1 && line.length < MAX_LENGTH) {
    return {
      // By its full path: Windows would look in the working directory first.
      file: win32.join(systemRoot, 'System32', 'cmd.exe'),
      args: ['/d', '/e:on', '/v:off', '/s', '/c', line],
      verbatim: true,
    };
  }
  // The argument itself may be a secret.
  const message =
    index === -1
      ? `The arguments are longer than the ${MAX_LENGTH} characters that cmd.exe accepts.`
      : `${index === 0 ? 'The path of the batch file' : `Argument ${index}`} contains a quote, a percent sign or a control character, which cmd.exe cannot pass on safely to a batch file.`;
  const hint = 'Pass the value in `env`, or set `command` to an .exe file, such as node.exe.';
  return { code: 'CONFIG_INVALID', message, options: { hint } };
}

/** The program that is started reads each backslash before the last quote as half of an escape, so they are doubled. */
function quoted(word: string): string {
  return `"${word.replace(/\\+$/, '$&$&')}"`;
}
