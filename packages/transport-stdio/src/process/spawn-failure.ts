import { access, constants, stat } from 'node:fs/promises';
import type { Stream } from 'node:stream';
import { posix, win32 } from 'node:path';
import type { ErrorCode } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { type Environment, type ProgramRefusal, searchedFolders } from '@mcp-fittings/toolbox/programs';
import { sanitizeText } from '@mcp-fittings/toolbox/text';

export interface SpawnAttempt {
  readonly command: string;
  readonly cwd?: string | undefined;
  /** The environment of the child: its PATH is the one that is searched. */
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly stderr?: ChildStderr | undefined;
}

/** Values that `spawn` accepts as the stderr of a child process. */
export type ChildStderr = 'pipe' | 'overlapped' | 'inherit' | 'ignore' | Stream | number;

/** Finds what Node.js would reject with an error that quotes the value, which may be a secret. */
export function checkPlan(plan: {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Environment;
  readonly stderr: unknown;
}): ProgramRefusal | undefined {
  const { command, args, cwd = '', env, stderr } = plan;
  if (command.trim() === '') return invalid('The command is empty.');
  if ([command, ...args, cwd, ...Object.entries(env).flat()].some((text) => text?.includes('\0')))
    return invalid(
      'The command, an argument, the working directory or an environment variable contains a NUL character.',
    );
  const isStderr =
    typeof stderr === 'number'
      ? Number.isInteger(stderr) && stderr >= 0
      : STDERR_NAMES.has(stderr) || (typeof stderr === 'object' && stderr !== null);
  return isStderr ? undefined : invalid(BAD_STDERR, STDERR_VALUES);
}

const STDERR_NAMES: ReadonlySet<unknown> = new Set(['pipe', 'overlapped', 'inherit', 'ignore']);
const BAD_STDERR = 'The option `stderr` has an unsupported value, or one that is not open.';
const STDERR_VALUES =
  "Use 'capture', 'pipe', 'overlapped', 'inherit', 'ignore', a function, a file descriptor, or a stream with one; keep it open until the server has started.";

const NOT_FOUND = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);
const NOT_EXECUTABLE = new Set(['EACCES', 'EPERM', 'ENOEXEC', 'EISDIR']);
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Explains an error of `spawn`: the system says ENOENT for a missing command, a missing interpreter of a script, and a
 * missing working directory alike.
 */
export async function explainSpawnError(cause: unknown, attempt: SpawnAttempt): Promise<ProgramRefusal> {
  // It quotes the arguments, which may contain secrets.
  if (cause instanceof Error) Reflect.deleteProperty(cause, 'spawnargs');
  const { code, message, hint } = await explain(cause, attempt);
  return { code, message, options: { cause, hint } };
}

interface Explanation {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

async function explain(cause: unknown, attempt: SpawnAttempt): Promise<Explanation> {
  const { platform, stderr } = attempt;
  const code = systemErrorCode(cause) ?? '';
  const command = quoted(attempt.command);
  const badCwd = await checkCwd(attempt.cwd);
  if (badCwd !== undefined)
    return { code: 'CWD_INVALID', message: badCwd, hint: 'Correct `cwd`, or remove it.' };
  // Windows says so of the command line.
  const isTooLong = code === 'E2BIG' || (code === 'ENAMETOOLONG' && platform === 'win32');
  if (NOT_FOUND.has(code) && !isTooLong) return explainNotFound(attempt);
  if (NOT_EXECUTABLE.has(code))
    return {
      code: 'COMMAND_NOT_EXECUTABLE',
      message: `Permission to execute ${command} was denied (${code}).`,
      hint:
        platform === 'win32'
          ? WINDOWS_PROGRAMS
          : platform === 'darwin' && code === 'EPERM'
            ? QUARANTINE
            : 'Check that it is a file and has the execute permission.',
    };
  if (code === 'EBADF' || (code === 'ERR_INVALID_ARG_VALUE' && typeof stderr === 'object'))
    return { code: 'CONFIG_INVALID', message: BAD_STDERR, hint: STDERR_VALUES };
  const text = sanitizeText(cause instanceof Error ? cause.message : String(cause));
  return {
    code: 'SPAWN_FAILED',
    message: `Could not start ${command}: ${text}`,
    hint: EXHAUSTED.has(code)
      ? 'The system has run out of processes, memory or file descriptors.'
      : isTooLong
        ? 'The arguments and the environment are too long. Pass long values in a file.'
        : undefined,
  };
}

const WINDOWS_PROGRAMS =
  'Windows starts .exe, .com, .cmd and .bat files. For a script, set `command` to its interpreter (node, py, or powershell with -NoProfile and -File) and put its path into `args`.';

/** Hint for a downloaded program that macOS does not let run, or ends with SIGKILL. */
export const QUARANTINE =
  'macOS stops a downloaded program that it has not checked. If you trust it: xattr -d com.apple.quarantine FILE.';

async function explainNotFound(attempt: SpawnAttempt): Promise<Explanation> {
  const { command, env, platform } = attempt;
  const [program = '', ...more] = command.trim().split(/\s+/);
  const isWindows = platform === 'win32';
  const code = 'COMMAND_NOT_FOUND';
  if (await existsInSearchPath(attempt))
    return isWindows && win32.extname(command) === ''
      ? {
          code: 'COMMAND_NOT_EXECUTABLE',
          message: `${quoted(command)} is a directory, or has no extension, without which Windows does not start it.`,
          hint: WINDOWS_PROGRAMS,
        }
      : {
          code,
          message: `${quoted(command)} exists, but the interpreter that its first line names does not.`,
          hint: 'Install it, or set `command` to one that is installed.',
        };
  const count = searchedFolders(env, platform).length;
  const message = isPath(attempt)
    ? `The command ${quoted(command)} does not exist.`
    : `The command ${quoted(command)} was not found in the ${count} ${count === 1 ? 'directory' : 'directories'} of the PATH.`;
  // A slash after the first space, as in `npx -y @scope/x`, belongs to an argument. A path may contain spaces too.
  if (more.length > 0 && !isPath({ ...attempt, command: program }))
    return {
      code,
      message,
      hint: '`command` is the program alone and is not read by a shell. Put the arguments into `args`.',
    };
  if (isPath(attempt))
    return {
      code,
      message,
      hint: 'A relative path is resolved against `cwd`. If there are arguments, put them into `args`.',
    };
  // On Windows names have no case, and may have an extension.
  const name = isWindows ? command.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '') : command;
  const product = PRODUCTS.find(([commands]) => commands.test(name))?.[1] ?? 'it';
  const why = isWindows
    ? 'a program that was running before an installation has an older PATH until it is started again.'
    : 'desktop programs often lack what a login shell adds (nvm, asdf, Homebrew).';
  return { code, message, hint: `Install ${product}, use its full path, or set PATH in \`env\`: ${why}` };
}

/** Products by the commands that come with them. */
const PRODUCTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:node|npm|npx)$/, 'Node.js'],
  [/^uvx?$/, 'uv (https://docs.astral.sh/uv/)'],
  [/^python3?$/, 'Python, whose command may be `python`, `python3` or `py`'],
];

async function checkCwd(cwd: string | undefined): Promise<string | undefined> {
  if (cwd === undefined) return undefined;
  const name = `The working directory ${quoted(cwd)}`;
  try {
    if (!(await stat(cwd)).isDirectory()) return `${name} is not a directory.`;
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (cause) {
    const code = systemErrorCode(cause) ?? '';
    return NOT_FOUND.has(code) ? `${name} does not exist.` : `${name} cannot be entered (${code}).`;
  }
}

async function existsInSearchPath(attempt: SpawnAttempt): Promise<boolean> {
  const { command, cwd = '.', env, platform } = attempt;
  const folders = isPath(attempt) ? [''] : searchedFolders(env, platform);
  const path = platform === 'win32' ? win32 : posix;
  const found = await Promise.all(
    folders.map((folder) =>
      access(path.resolve(cwd, folder, command)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

function isPath({ command, platform }: SpawnAttempt): boolean {
  return command.includes('/') || (platform === 'win32' && command.includes('\\'));
}

function invalid(message: string, hint?: string): ProgramRefusal {
  return { code: 'CONFIG_INVALID', message, options: { hint } };
}

function quoted(text: string): string {
  return `"${sanitizeText(text, { maxLength: 200 })}"`;
}
