import { win32 } from 'node:path';
import type { Program } from './program.js';
import type { SpawnFailure } from './spawn-failure.js';

/** `cmd.exe` takes no longer command line. */
const MAX_LENGTH = 8191;

/**
 * A batch file, run by `cmd.exe`, which parses its arguments twice: once itself, and again where the batch file says
 * `%*`. No escape holds in both: a quote ends the quoted part in one of them, `%NAME%` is replaced by what may hold a
 * quote, and a line break ends the command. Such arguments are refused; all others stand between quotes in both.
 * @see https://blog.rust-lang.org/2024/04/09/cve-2024-24576/
 */
export function throughCmd(
  file: string,
  args: readonly string[],
  systemRoot = String.raw`C:\Windows`,
): Program | SpawnFailure {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not pass
  const unfit = /["%\u0000-\u001f]/;
  const words = [file, ...args];
  const index = words.findIndex((word) => unfit.test(word));
  const line = `"${words.map(quoted).join(' ')}"`;
  if (index === -1 && line.length < MAX_LENGTH) {
    return {
      // By its full path: Windows would look into the current folder first.
      file: win32.join(systemRoot, 'System32', 'cmd.exe'),
      args: ['/d', '/e:on', '/v:off', '/s', '/c', line],
      verbatim: true,
    };
  }
  // The argument itself may be a secret.
  const message =
    index === -1
      ? `The arguments are longer than the ${MAX_LENGTH} characters that cmd.exe takes.`
      : index === 0
        ? 'The path of the batch file holds a character that cmd.exe cannot pass on safely.'
        : `Argument ${index} holds a quote, a percent sign or a control character, which cmd.exe cannot pass on safely to a batch file.`;
  const hint =
    'Put the value into `env`, or make `command` an .exe (such as node.exe with the path of the script) instead of a .cmd or .bat file.';
  return { code: 'CONFIG_INVALID', message, options: { hint } };
}

/** Backslashes before the last quote count double for the program that is started. */
function quoted(word: string): string {
  return `"${word.replace(/\\+$/, '$&$&')}"`;
}
