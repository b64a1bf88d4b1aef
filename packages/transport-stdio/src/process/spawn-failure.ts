import { access, constants, stat } from 'node:fs/promises';
import type { Stream } from 'node:stream';
import { posix, win32 } from 'node:path';
import type { ErrorCode } from '@mcp-fittings/client-core';
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

/** Finds what Node.js would reject with an error that quotes the value, which may be a secret. */
export function checkTexts(plan: {
  command: string;
  args: readonly string[];
  cwd?: string | undefined;
  env: Environment;
}): string | undefined {
  if (plan.command.trim() === '') return 'The command is empty.';
  const texts = [plan.command, ...plan.args, plan.cwd ?? '', ...Object.entries(plan.env).flat()];
  return texts.some((text) => text?.includes('\0'))
    ? 'The command, an argument, the working directory or an environment variable contains a NUL character.'
    : undefined;
}

/** Values that `spawn` accepts as the stderr of a child process. */
export type ChildStderr = 'pipe' | 'overlapped' | 'inherit' | 'ignore' | Stream | number;

/** Returns why the child cannot use this as its stderr, and what to do. */
export interface StderrProblem {
  readonly message: string;
  readonly hint: string;
}

const NAMES: ReadonlySet<unknown> = new Set(['pipe', 'overlapped', 'inherit', 'ignore']);

/** Finds a value of `stderr` that Node.js would reject; a JavaScript caller may pass anything. */
export function checkStderr(stderr: unknown): StderrProblem | undefined {
  if (typeof stderr === 'number' && (!Number.isInteger(stderr) || stderr < 0)) {
    return {
      message: 'The number given as `stderr` is not a file descriptor.',
      hint: 'A file descriptor is a non-negative integer.',
    };
  }
  if (typeof stderr === 'number' || NAMES.has(stderr)) return undefined;
  if (typeof stderr !== 'object' || stderr === null) {
    return {
      message: 'The option `stderr` has an unsupported value.',
      hint: "Use 'capture', 'pipe', 'overlapped', 'inherit', 'ignore', a stream, a file descriptor, or a function.",
    };
  }
  return undefined;
}

const NOT_FOUND = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);
const NOT_EXECUTABLE = new Set(['EACCES', 'EPERM', 'ENOEXEC', 'EISDIR']);
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Explains an error of `spawn`: the system says ENOENT for a missing command, a missing interpreter of a script, and a
 * missing working directory alike.
 */
export async function explainSpawnError(cause: unknown, attempt: SpawnAttempt): Promise<ProgramRefusal> {
  const code = systemCode(cause);
  // It quotes the arguments, which may contain secrets.
  if (cause instanceof Error) Reflect.deleteProperty(cause, 'spawnargs');
  const command = quoted(attempt.command);
  const cwd = await checkCwd(attempt.cwd);
  if (cwd !== undefined) return failure('CWD_INVALID', cwd, cause, 'Correct `cwd`, or remove it.');
  if (code === 'ENAMETOOLONG' && attempt.platform === 'win32') {
    const message = `The command line of ${command} is too long: Windows accepts 32767 characters.`;
    return failure('CONFIG_INVALID', message, cause, 'Pass long values in `env`, or in a file.');
  }
  if (NOT_FOUND.has(code)) {
    if (attempt.platform === 'win32') {
      const message = await whyWindowsCannotStart(attempt);
      if (message !== undefined) return failure('COMMAND_NOT_EXECUTABLE', message, cause, WINDOWS_PROGRAMS);
    }
    if (await existsInSearchPath(attempt)) {
      const message = `${command} exists, but the interpreter that its first line names does not.`;
      return failure(
        'COMMAND_NOT_FOUND',
        message,
        cause,
        'Install the interpreter, or set `command` to an interpreter that is installed.',
      );
    }
    return failure('COMMAND_NOT_FOUND', notFoundMessage(attempt), cause, notFoundHint(attempt));
  }
  if (NOT_EXECUTABLE.has(code)) {
    const message = `Permission to execute ${command} was denied (${code}).`;
    return failure(
      'COMMAND_NOT_EXECUTABLE',
      message,
      cause,
      attempt.platform === 'win32'
        ? WINDOWS_PROGRAMS
        : attempt.platform === 'darwin' && code === 'EPERM'
          ? QUARANTINE
          : 'Check that it is a file and has the execute permission.',
    );
  }
  if (code === 'ERR_INVALID_ARG_VALUE' && typeof attempt.stderr === 'object') {
    return failure(
      'CONFIG_INVALID',
      'The stream given as `stderr` has no file descriptor, so a process cannot write to it.',
      cause,
      "Set `stderr: 'pipe'` and call `transport.stderr.pipe(stream)`. A file stream has a descriptor once it is open.",
    );
  }
  if (code === 'EBADF' && typeof attempt.stderr === 'number') {
    const message = `The file descriptor ${String(attempt.stderr)} given as \`stderr\` is not open.`;
    return failure('CONFIG_INVALID', message, cause, 'Keep it open until the server has started.');
  }
  const hint = EXHAUSTED.has(code)
    ? 'The system has run out of processes, memory or file descriptors.'
    : code === 'E2BIG'
      ? 'The arguments and the environment are too long.'
      : undefined;
  const text = sanitizeText(cause instanceof Error ? cause.message : String(cause));
  return failure('SPAWN_FAILED', `Could not start ${command}: ${text}`, cause, hint);
}

const WINDOWS_PROGRAMS =
  'Windows starts .exe, .com, .cmd and .bat files. For a script set `command` to its interpreter and put its path into `args`: node for .js, py for .py, and for .ps1 powershell with -NoProfile and -File.';

/** Hint for a downloaded program that macOS does not let run, or ends with SIGKILL. */
export const QUARANTINE =
  'macOS stops a downloaded program that it has not checked. If you trust it: xattr -d com.apple.quarantine FILE.';

function failure(code: ErrorCode, message: string, cause: unknown, hint: string | undefined): ProgramRefusal {
  return { code, message, options: { cause, hint } };
}

function notFoundMessage(attempt: SpawnAttempt): string {
  const command = quoted(attempt.command);
  if (isPath(attempt)) return `The command ${command} does not exist.`;
  const count = searchPath(attempt).length;
  return `The command ${command} was not found in the ${count} ${count === 1 ? 'directory' : 'directories'} of the PATH.`;
}

const INSTALL_HINTS: Readonly<Record<string, string>> = {
  node: 'Node.js',
  npm: 'Node.js',
  npx: 'Node.js',
  pnpm: 'pnpm',
  bunx: 'Bun',
  uv: 'uv (https://docs.astral.sh/uv/)',
  uvx: 'uv (https://docs.astral.sh/uv/)',
  pipx: 'pipx',
  python: 'Python, whose command may be `python3`',
  docker: 'Docker',
  deno: 'Deno',
};

const WINDOWS_INSTALL_HINTS: Readonly<Record<string, string>> = {
  python: 'Python, whose command may be `py`',
  python3: 'Python, whose command is `py` or `python`',
};

function notFoundHint(attempt: SpawnAttempt): string {
  const { command } = attempt;
  const [program = '', ...more] = command.trim().split(/\s+/);
  // A slash after the first space, as in `npx -y @scope/x`, belongs to an argument. A path may contain spaces too.
  if (more.length > 0 && !isPath({ ...attempt, command: program })) {
    return '`command` is the program alone and is not read by a shell. Put the arguments into `args`.';
  }
  if (isPath(attempt)) {
    const relative = 'A relative path is resolved against `cwd`.';
    return more.length > 0 ? `If it has arguments, put them into \`args\`. ${relative}` : relative;
  }
  const isWindows = attempt.platform === 'win32';
  const hints = isWindows ? { ...INSTALL_HINTS, ...WINDOWS_INSTALL_HINTS } : INSTALL_HINTS;
  // On Windows names have no case, and may have an extension.
  const name = isWindows ? command.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '') : command;
  const product = Object.hasOwn(hints, name) ? hints[name] : undefined;
  const install = product === undefined ? 'Install it' : `Install ${product}`;
  const why = isWindows
    ? 'a program that was running before an installation has an older PATH until it is started again.'
    : 'desktop programs often lack what a login shell adds (nvm, asdf, Homebrew).';
  return `${install}, use its full path, or set PATH in \`env\`: ${why}`;
}

async function checkCwd(cwd: string | undefined): Promise<string | undefined> {
  if (cwd === undefined) return undefined;
  const name = `The working directory ${quoted(cwd)}`;
  try {
    if (!(await stat(cwd)).isDirectory()) return `${name} is not a directory.`;
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (cause) {
    const code = systemCode(cause);
    return NOT_FOUND.has(code) ? `${name} does not exist.` : `${name} cannot be entered (${code}).`;
  }
}

/** Windows finds only files whose extension says that they are programs. */
async function whyWindowsCannotStart(attempt: SpawnAttempt): Promise<string | undefined> {
  const { command, cwd = '.' } = attempt;
  const entry = isPath(attempt) ? await stat(win32.resolve(cwd, command)).catch(() => undefined) : undefined;
  if (entry?.isDirectory() === true) return `${quoted(command)} is a directory.`;
  if (win32.extname(command) !== '' || !(await existsInSearchPath(attempt))) return undefined;
  return `${quoted(command)} exists, and has no extension, without which Windows does not start it.`;
}

async function existsInSearchPath(attempt: SpawnAttempt): Promise<boolean> {
  const { command, cwd = '.' } = attempt;
  const path = pathOf(attempt);
  const candidates = isPath(attempt)
    ? [path.resolve(cwd, command)]
    : searchPath(attempt).map((directory) => path.resolve(cwd, directory, command));
  const found = await Promise.all(
    candidates.map((file) =>
      stat(file).then(
        (entry) => entry.isFile(),
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

const pathOf = (attempt: SpawnAttempt): typeof posix => (attempt.platform === 'win32' ? win32 : posix);

function isPath({ command, platform }: SpawnAttempt): boolean {
  return command.includes('/') || (platform === 'win32' && command.includes('\\'));
}

const searchPath = ({ env, platform }: SpawnAttempt): string[] => searchedFolders(env, platform);

function systemCode(cause: unknown): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : '';
}

function quoted(text: string): string {
  return `"${sanitizeText(text, { maxLength: 200 })}"`;
}
